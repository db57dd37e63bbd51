"""A row of operation buttons. A double click, a slow server or an old page cannot apply an operation twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from lessons.server.components import declare_component
from lessons.state.session import get_event, get_session
from lessons.widgets.player import Seek, remember_chunks

_mount = declare_component(
    "operation_buttons",
    *(f"lib/{name}.js" for name in ("colors", "after_run", "element", "delivery", "turns")),
    "components/operation_buttons/operation_buttons.js",
)


@dataclass(frozen=True)
class OperationButton:
    """One button. ``hint``, below it, says why it is suggested or disabled."""

    id: str
    label: str
    suggested: bool = False
    disabled: bool = False
    hint: str = ""


def draw_operation_buttons(
    buttons: Sequence[OperationButton],
    *,
    index: int,
    key: str,
    on_press: Callable[[str, int], None],
    label: str = "",
    enter_in: str = "",
    seek: Seek | None = None,
    only_at_end: bool = False,
    by_place: bool = False,
) -> None:
    """Draw the row. ``on_press(id, index)`` gets the index that the pressed button was drawn with.

    The browser sends no second press before the first is answered, and sends a lost press again. So that a press counts
    once, the caller must ignore a press whose index is not the current one.
    label     names the group for a screen reader.
    enter_in  the key of a text field beside the row: Enter in it presses the first button.
    seek      where the player's place leads, if a press comes before the player has reported it.
    only_at_end  the buttons wait while the player is not at the run's end.
    by_place  the index is the player's place, counted in operations.
    """
    ids = {button.id for button in buttons}
    # The lab may refuse a press, which then leaves the index as it is. So the row is enabled again when its press was
    # handled, not when the index changes.
    handled_key = f"{key}.handled"

    def handle_press() -> None:
        sent = get_event(key, "press")
        if not isinstance(sent, dict):
            return
        serial = sent.get("serial")
        get_session()[handled_key] = serial if type(serial) is int else None
        remember_chunks(sent)
        if seek is not None and sent.get("seek") is not None:
            seek.handle(sent["seek"])
        operation, drawn_index = sent.get("id"), sent.get("index")
        if isinstance(operation, str) and operation in ids and type(drawn_index) is int:
            on_press(operation, drawn_index)

    _mount(
        key=key,
        data={
            "buttons": [asdict(button) for button in buttons],
            "index": index,
            "handled": get_session().get(handled_key),
            "label": label,
            "enterIn": enter_in,
            "onlyAtEnd": only_at_end,
            "byPlace": by_place,
        },
        on_press_change=handle_press,
    )
