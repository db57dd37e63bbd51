// All that Streamlit sends of a component's script; see lessons/server/components.py.

const address = new URL(ADDRESS, document.baseURI).href;

/** A network may fail for a moment. A browser can remember that an address failed, so it is another one each time. */
async function load(tries) {
  try {
    return await import(tries ? `${address}?${tries}` : address);
  } catch (error) {
    if (tries === 6) throw error;
    await new Promise((done) => setTimeout(done, 250 * 2 ** tries));
    return load(tries + 1);
  }
}

const { default: draw } = await load(0);

export default (given) => draw({ ...given, data: given.data[0] });
