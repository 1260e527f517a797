// Reloads the page of one channel regularly, but not while the user hovers over a plot or selects text.
(() => {
  const interval = 5_000;
  const contact = document.getElementById("contact");

  function isRead(main) {
    return main.querySelector(".area:hover, .area:focus-visible") !== null || String(getSelection()) !== "";
  }

  async function refresh() {
    const main = document.querySelector("main");
    if (document.hidden || isRead(main)) return;
    const limit = AbortSignal.timeout(4 * interval);
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" }, signal: limit });
    // The token is needed again: a reload shows the sign-in page.
    if (answer.status === 401) return location.reload();
    if (answer.status === 404) return fail("this channel is no longer followed");
    if (!answer.ok) return fail(`the monitor answered ${answer.status}`);
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const opened = [...main.querySelectorAll("details")].map((details) => details.open);
    next.querySelectorAll("main details").forEach((details, index) => {
      details.open = opened[index] ?? details.open;
    });
    main.replaceWith(next.querySelector("main"));
    document.title = next.title;
    contact.className = "contact live";
    contact.textContent = next.getElementById("contact").textContent;
    trackOf.clear();
    bindPlots(document);
  }

  function fail(text) {
    contact.className = "contact lost";
    contact.textContent = text;
    document.title = "no contact – dtvr monitor";
  }

  async function keepFresh() {
    try {
      await refresh();
    } catch {
      fail("no contact with the monitor");
    }
    setTimeout(keepFresh, interval);
  }

  bindPlots(document);
  document.addEventListener("handled", refresh);
  setTimeout(keepFresh, interval);
})();
