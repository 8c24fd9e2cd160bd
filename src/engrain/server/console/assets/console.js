"use strict";
// What the pages need of the browser: the address, dialogs, keys, the clock's zone and the theme.
(() => {
  const cookie = (name, value) => {
    document.cookie = `${name}=${encodeURIComponent(value)}; path=/console; max-age=31536000; samesite=lax`;
  };
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  if (!document.cookie.includes(`engrain_zone=${encodeURIComponent(zone)}`)) {
    cookie("engrain_zone", zone);
    if (document.cookie.includes("engrain_zone=") && zone !== "UTC") location.reload();
  }
  const soon = (id, then, left = 60) => {
    const found = document.getElementById("c" + id);
    if (found) then(found);
    else if (left) requestAnimationFrame(() => soon(id, then, left - 1));
  };
  const announce = (text) => {
    const place = document.getElementById("news");
    if (place) place.textContent = text;
  };
  // A part that was built anew takes over what somebody has opened, written, chosen or focused in the one before it.
  const shown = (each) => each.name || each.getAttribute("aria-label") || (each.querySelector("summary") || each).textContent;
  const twins = (from, to, what) => {
    const left = [...to.querySelectorAll(what)];
    return [...from.querySelectorAll(what)].flatMap((each) => {
      const at = left.findIndex((other) => other.tagName === each.tagName && shown(other) === shown(each));
      return at < 0 ? [] : [[each, left.splice(at, 1)[0]]];
    });
  };
  const swap = (from, to) => {
    for (const [old, now] of twins(from, to, "details")) now.open = old.open;
    for (const [old, now] of twins(from, to, "input:not([type=checkbox]), textarea")) {
      if (old.value !== old.defaultValue) now.value = old.value;
    }
    const place = [...from.querySelectorAll(".item")].findIndex((each) => each.classList.contains("chosen"));
    const items = to.querySelectorAll(".item");
    if (place >= 0 && items.length) items[Math.min(place, items.length - 1)].classList.add("chosen");
    const had = from.contains(document.activeElement) && document.activeElement;
    const pair = had && twins(from, to, "a, button, input, select, textarea, summary").find(([old]) => old === had);
    if (pair) pair[1].focus({ preventScroll: true });
  };
  window.engrain = {
    swap: (old, now) => soon(now, (to) => {
      const from = document.getElementById("c" + old);
      if (from) swap(from, to);
    }),
    put: (url, push) => history[push ? "pushState" : "replaceState"](null, "", url),
    open: (id, values) => soon(id, (found) => {
      if (!found.open) found.showModal();
      for (const [name, value] of Object.entries(values)) {
        const field = found.querySelector(`[name="${name}"]:not([type=checkbox])`);
        if (field) field.value = value;
      }
      found.scrollTop = 0;  // its title is read first, wherever its first control is
    }),
    close: (id) => document.getElementById("c" + id)?.close(),
    value: (id, value) => soon(id, (found) => { found.value = value; }),
    busy: (by) => {
      const busy = Number(document.body.dataset.busy || 0) + by;
      document.body.dataset.busy = Math.max(busy, 0);
    },
    raise: (id) => soon(id, (found) => { found.hidePopover(); found.showPopover(); }),  // above an open dialog
    copy: (id) => {
      const text = document.getElementById("c" + id).innerText;
      const done = () => announce("Copied.");
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => announce("Select the text and copy it."));
      else announce("Select the text and copy it.");
    },
    theme: () => {
      const dark = !document.body.classList.contains("body--dark");
      cookie("engrain_theme", dark ? "dark" : "light");
      setDark(dark);
    },
    leave: () => fetch("/console/logout", { method: "POST" }).finally(() => { location.href = "/console/"; }),
    menu: () => document.querySelector(".shell").classList.toggle("open"),
  };
  addEventListener("DOMContentLoaded", () => {
    const advice = document.querySelector("#popup span:last-of-type");
    if (advice) advice.textContent = "Is the server running? This page goes on when it answers; engrain console gives a new address.";
  });
  addEventListener("popstate", () => location.reload());
  addEventListener("click", (event) => {
    const scope = document.querySelector(".scope[open]");
    if (scope && !scope.contains(event.target)) scope.open = false;
  });

  // A server that was started anew knows nothing of this page, which is loaded again: the connection stays lost though it answers.
  let lost = 0;
  setInterval(() => {
    if (!window.socket || window.socket.connected) lost = 0;
    else fetch(document.querySelector("script[src]").src, { method: "HEAD", cache: "no-store" }).then(() => { if (++lost > 2) location.reload(); }, () => { lost = 0; });
  }, 3000);

  // What was pressed and has given way before it was let go is clicked all the same: it still works for a moment.
  let pressed = null;
  addEventListener("pointerdown", (event) => { pressed = event.target.closest?.("button, a"); }, true);
  addEventListener("pointerup", () => {
    if (pressed?.closest(".past")) pressed.click();
    pressed = null;
  }, true);

  // Keys: / searches, j and k move, Enter opens, ? lists the keys; letters of buttons with data-key act on the chosen item.
  const items = () => [...document.querySelectorAll("#main .item")].filter((each) => each.offsetParent !== null && !each.closest(".coming, .past"));
  const move = (by) => {
    const all = items();
    if (!all.length) return;
    const at = all.findIndex((each) => each.classList.contains("chosen"));
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    all.forEach((each) => each.classList.remove("chosen"));
    next.classList.add("chosen");
    next.scrollIntoView({ block: "nearest" });
    const target = next.querySelector("a, button, input, summary");
    if (target) target.focus({ preventScroll: true });
  };
  addEventListener("keydown", (event) => {
    const target = event.target;
    const typing = target.matches?.("textarea, select, input:not([type=checkbox]):not([type=range])");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector("dialog[open]")) return;
    const search = document.querySelector("#main input[type=search]") || document.querySelector("header input[type=search]");
    const chosen = document.querySelector("#main .item.chosen") || target.closest?.(".item") || document;
    const own = /^[a-z]$/.test(event.key) && chosen.querySelector(`[data-key="${event.key}"]`);
    if (event.key === "/" && search) search.focus();
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "?") document.getElementById("keys").showModal();
    else if (own) own.click();
    else return;
    event.preventDefault();
  });
})();
