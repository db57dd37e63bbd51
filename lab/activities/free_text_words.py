"""The words that lab.activities.free_text knows, in Chinese and English, by kind of mark.

Each line is a regular expression over normalised text (lower case, half width, single spaces). In a line of Latin
letters, `~` stands for any ending, and a match must not be part of a longer word. If two kinds match at the same
place, the earlier kind wins.
"""

from __future__ import annotations

import re

_SPEAKERS = ("you", "it", "we", "i", "they", "b", "token", "request", "sequence")


def _name(verb: str) -> str:
    """A function's name with its usual typing errors: can append, canappend, can_apend, can-appned(); also: can 检查.

    "You can append" is not a name. A "by" before the name belongs to it.
    """
    spoken = "".join(rf"(?<!\b{speaker} {verb})" for speaker in _SPEAKERS)
    full = rf"{verb}(?:[_-]{{0,3}}|{spoken} )ap[apend]{{2,6}}s?(?![a-z_])(?: ?\(\))?"
    return rf"(?<![a-z_])(?:by )?(?:{full}|{verb}(?=[一-鿿]))"


CAN_NAME = _name("can")
MAY_NAME = _name("may")

PHRASES: dict[str, tuple[str, ...]] = {
    # -- names: the subjects of a clause
    "can": (CAN_NAME,),
    "may": (MAY_NAME,),
    "other_function": (r"append[\s_]?tokens?",),
    "table": (
        r"(?<![a-z_])bl[ock]{1,3}s?[\s_-]{0,3}ta[bel]{2,4}s?(?![a-z_])",
        r"[页块]表|映射|表(?![示达现明面])",
        r"(?:page[ _])?tables?|mapping|list of (?:physical |block |page )*ids",
    ),
    # -- where one clause ends and the next begins
    "stop": (r"[.!?。;\n]+",),
    "comma": (r"[,:、…]+|[-=]{0,3}>+|→|⇒|\((?! ?(?:can|may|bl))",),
    "join": (r"并(?!不|非|没|未)且?|以及", r"and|which"),
    "then": (r"然后|随后|接着|再", r"then"),
    "split": (
        r"不过|但是?|而(?!且)|所以|因此|于是|因为|由于|如果|[之以]前|[之以]后|后(?!面)|完(?![全成])",
        r"but|so|because|since|cuz|after~|before|prior to|once|when|while|as soon as|hence|therefore|although|though",
    ),
    # -- words that contain a negation but deny nothing
    "filler": (r"不[仅但只光错管]|无论", r"not only|not just|no longer"),
    # -- the page is full
    "full": (
        r"满(?![足意])|[放装容写塞]不[下了]|(?:没有?|无)[^,。;]{0,3}(?:空位|空槽|位置|地方|空间)",
        r"(?:空间|位置|地方|空位|槽位?)不[够足]|(?:只能|最多)[放装存]|已经?有 ?[\d四]",
        r"full|fill(?:ed|s)?|no (?:more |empty |free |spare )*(?:room|space)|holds? (?:only|at most)|hold no more",
        r"(?:do(?:es)?n'?t|does not|do not|can'?t|cannot|won'?t) (?:fit|hold)",
        r"already (?:has|contains|holds) (?:\d|four)|(?:4|four) ?(?:/|of|out of) ?(?:4|four)",
    ),
    # -- the page still has room: it is not full. "If" and "whether" say nothing of it
    "room": (
        r"(?<![果若否看查])[还仍][然旧]?(?:有|剩(?:有|下)?)[^,。;没无页块]{0,4}(?:空位|空槽|位置|地方|空间)",
        r"(?<!if )(?<!whether )(?:(?:it|there) (?:is|are) )?still (?:has |have |is |are )?(?:(?:an?|one|some|more"
        r"|enough|empty|free|spare|left|\d) )*(?:room|space|slots?)(?: left)?(?![a-z_])",
    ),
    "used_up": (r"[都全](?:部?被?)?占用?|占[满完]|用[完光尽]", r"occupied|used(?: up)?|r[au]n out|exhausted"),
    # -- a new logical page; "a new block for the token" means the same
    "new_page": (
        r"(?:(?<!重)新|另外?|下|后|第 ?[二2]|多)[一的张个开外起]*(?:逻辑)?页(?!表)",
        r"逻辑页 ?[12](?!\d)|跨(?:越|过|到|入|了)?页|页的?边界|超出了?[^,。;]{0,4}页",
        r"(?:new|second|next|another|fresh|2nd|different|extra|additional|one more|2|two)(?: logical)? pages?",
        r"page boundary|(?:logical|page) (?:page|index|number) ?(?:1|one)|page (?:2|two)",
        r"cross(?:es|ed|ing)? (?:the |a |its )?page",
        r"需?要(?:一[个张])?新的?(?:物理)?块",
        r"(?:need|require)s? an?(?: new|other| second)(?: physical)? block",
    ),
    "new_one": (r"(?:new|fresh|another|next|second) one|(?:in|on)?to (?:the|a) (?:second|next|new)(?! [a-z])",),
    # -- the three actions
    "check": (
        r"(?P<same>[一-鿿])不(?P=same)|有没有|有无|是否|能否|返回|说(?=还?有|可以|没)|知道|允许|同意|只读",
        r"检[查验]|查|看|确认|确保|判断|问(?!题)|核[实对]|验证|瞧|探|评估|发现",
        r"(?:double-?)?check~|verif~|look(?:s|ed|ing)?|see(?:s|ing)?|confirm~|ask~|test~|ma(?:k~|de) sure|ensur~",
        r"find(?:s|ing)?(?: out)?|found|peek~|inspect~|examin~|sa(?:id|ys|y)|tell~|determin~|validat~|answer~|return~",
        r"know~|agree~|allow~|count(?:s|ed|ing)?|green light|read-only",
    ),
    "take": (
        r"取(?![决消值])|拿|分配|领|弹出|分给|占用|动手|动作|副作用|摘|申请|抢|搬|挪|获得|得到",
        r"tak(?:e|es|en|ing)|took|grab~|pop(?:s|ped|ping)?|allocat~|pull~|claim~|reserv~|acquir~|obtain~|fetch~|remov~",
        r"pick~|draw~|acts?|action|side effects?|hand~|seiz~|secur~|consum~",
    ),
    "add": (
        r"追加|[添增]?加(?!载)|写[入进到]?|登?记[录到进]?|放[进入到]|接[到在上]|多(?:了|出)?|新?增|添|补",
        r"变(?!量)|改变?|存[入进到]|更新|扩展|= ?\[",
        r"add(?:s|ed|ing)?|append(?:s|ed|ing)?|get(?:s|ting)?|got|gr(?:ow|ew)(?:s|n|ing)?|gain~|exten~|expand~|record~",
        r"put(?:s|ting)?|push~|writ~|wrote|jot~|insert~|stor(?:e~|ing)|becom~|longer|updat~|chang~|modif~|one more",
        r"(?:has|with) (?:two|2)|(?:another|one more|extra|additional|second)(?= (?:physical |block )*(?:entry|id))",
    ),
    # -- other verbs: a negation before them does not reach the next verb
    "verb": (r"复用|重用|动(?!作)|换|覆盖|替换", r"reus~|fits?|stay~|overwrit~|replac~|leav~"),
    "again": (r"do(?:es)?(?! not)|did",),
    # -- negation; "retracted" denies its whole clause
    "negation": (
        r"不是因为|不[到了]|不|没有?|无需?|非|别|未|难道",
        r"not because|[a-z]+n't|(?:do|does|did|is|was|wo|ca|would|could)nt|cannot|not|never|no|nothing|nobody",
        r"neither|nor|without|none|fail~|refus~",
    ),
    "retracted": (r"以为|误解|是错的?", r"thought|wrong~|mistaken~|myth"),
    # -- what the verbs are about
    "block": (r"块|队首", r"(?:free_)?block(?:s|_ids?)?"),
    "entry": (r"项|编号|一行", r"ids?|entr(?:y|ies)"),
    "slot": (r"槽位?|空位", r"slots?"),
    "page": (r"页", r"pages?"),
    "token": (r"tokens?",),
    "free": (r"空闲|空的|池", r"free|available|spare|space|left|pool"),
    "thing": (r"一[个块]|它", r"one|it|some"),
    "topic": (r"内存|显存", r"kv|memory|queue~|request~"),
    "other_reason": (r"共享|连续", r"shar~|contiguous|ref_count"),
    # -- small words that link or refer
    "or": (r"或", r"or"),
    "otherwise": (r"否则|不然", r"otherwise|or else"),
    "need": (r"需要?|关系|通过", r"need~|necessary|required|pass~|succeed~"),
    "first": (r"先", r"first"),
    "order": (r"[就才]",),
    "passive": (r"被", r"is|are|was|were|be|been|being"),
    "stating": (r"[是有要会给能在]|必须", r"must|has|have|had|can|may|will|belong~|there|to|contain~|hold~|exist~"),
}


def compile_phrases(phrases: dict[str, tuple[str, ...]]) -> re.Pattern[str]:
    """One pattern with a named group for each kind."""

    def line(words: str) -> str:
        latin = words.isascii() and re.search("[a-z]{2}", words) and not words.startswith("(?<")
        return rf"(?<![a-z_])(?:{words.replace('~', '[a-z]*')})(?![a-z_])" if latin else words

    groups = (f"(?P<{kind}>{'|'.join(map(line, lines))})" for kind, lines in phrases.items())
    return re.compile("|".join(groups), re.ASCII)
