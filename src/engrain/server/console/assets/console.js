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
  const isNarrow = () => matchMedia("(max-width: 40rem)").matches;
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
  // What was refused is said at the field that it names, by its name or by what is written in it, in the words of its label.
  const captionOf = (field) => document.querySelector(`label[for="${field.id}"]`)?.textContent || field.getAttribute("aria-label") || field.name;
  const wrong = (root, said, words) => {
    const fields = [...root.querySelectorAll("[name]:not([type=checkbox])")].filter((each) => !each.closest(".past, .coming"));
    const starts = (each) => new RegExp(`^${each.name}\\b`, "i").test(said);
    const names = (each) => each.name.includes("_") && new RegExp(`\\b${each.name}\\b`, "i").test(said);
    const quotes = (each) => each.value && (said.includes(`'${each.value}'`) || (each.value.length > 7 && said.includes(each.value)));
    const field = fields.find(starts) || fields.find(names) || fields.find(quotes);
    if (!field && root.tagName !== "FORM") return false;
    const caption = field ? `“${captionOf(field)}”` : "This";
    const plain = fields.filter((each) => starts(each) || names(each)).reduce(
      (text, each) => text.replace(new RegExp(each.name.includes("_") ? `\\b${each.name}\\b` : `^${each.name}\\b`, "gi"), () => `“${captionOf(each)}”`), said);
    const place = document.createElement("p");
    place.className = "problem wrong-field";
    place.setAttribute("role", "alert");
    place.id = `wrong-${Date.now()}`;
    (field?.closest(".field")?.lastElementChild || root.querySelector("h2") || root.firstElementChild).after(place);
    place.textContent = words ? words.replace("{label}", caption) : plain;
    if (!field) return false;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", place.id);
    for (let each = field.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
    field.focus();
    return true;
  };
  const judge = (part, said, words) => {
    document.querySelectorAll("#main .wrong-field").forEach((each) => each.remove());
    document.querySelectorAll("#main [aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
    if (!said) return;
    const isMarked = wrong(document.getElementById("main"), said, words);
    if (isMarked || words) part.querySelector(".problem :last-child").textContent = isMarked ? "Put right what is marked." : words.replace("{label}", "This");
  };
  addEventListener("invalid", (event) => {  // a field that the browser refuses is shown, wherever it is
    const around = event.target.closest("details");
    if (around) around.open = true;
  }, true);
  // Where what had the focus has gone, the next has it: what undoes the act, or the item in the place of the one acted on.
  let acted = 0;
  const opener = (item) => item.matches("a") ? item : item.querySelector(item.matches("details") ? "summary" : "a[href]") || item.querySelector("summary, button, input");
  const isLost = () => {
    const here = document.activeElement;
    return !here || here === document.body || here.id === "main" || here.closest(".past, .coming") !== null;
  };
  const rescue = (toast) => requestAnimationFrame(() => requestAnimationFrame(() => {
    if (!isLost() || document.querySelector("dialog[open]")) return;
    const all = items();
    const item = all[Math.min(acted, all.length - 1)];
    (toast?.querySelector("[data-undo]") || (item && opener(item)) || document.getElementById("main"))?.focus({ preventScroll: true });
  }));
  window.engrain = {
    swap: (old, now, said, words) => soon(now, (to) => {
      const from = document.getElementById("c" + old);
      if (from) swap(from, to);
      judge(to, said, words);
    }),
    put: (url, push) => history[push ? "pushState" : "replaceState"](null, "", url),
    open: (id, values, said, words) => soon(id, (found) => {
      if (!found.open) found.showModal();
      for (const [name, value] of Object.entries(values)) {
        const field = found.querySelector(`[name="${name}"]:not([type=checkbox])`);
        if (!field) continue;
        field.value = value;
        const around = field.closest("details");
        if (around) around.open = true;
      }
      found.scrollTop = 0;  // its title is read first, wherever its first control is
      if (said) wrong(found.querySelector("form"), said, words);
    }),
    close: (id) => {
      document.getElementById("c" + id)?.close();
      rescue();
    },
    value: (id, value) => soon(id, (found) => { found.value = value; }),
    busy: (by) => {
      const busy = Number(document.body.dataset.busy || 0) + by;
      document.body.dataset.busy = Math.max(busy, 0);
    },
    raise: (id, made, act) => soon(made, (toast) => {  // above an open dialog
      const isGoingOn = act && act === before;
      if (act) sessionStorage.setItem("engrain_act", act);
      const found = document.getElementById("c" + id);
      found.hidePopover();
      found.showPopover();
      if (!found.watched) (found.watched = new MutationObserver(() => rescue())).observe(found, { childList: true });
      if (!isGoingOn) rescue(toast);
    }),
    without: (...names) => {
      const url = new URL(location.href);
      for (const name of names) url.searchParams.delete(name);
      location.href = url.href;
    },
    copy: (id) => {
      const place = document.getElementById("c" + id);
      const text = place.innerText;
      getSelection().selectAllChildren(place);  // what is copied is seen
      const done = () => announce("Copied.");
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => announce("Select the text and copy it."));
      else announce("Select the text and copy it.");
    },
    theme: () => {
      const dark = !document.body.classList.contains("body--dark");
      cookie("engrain_theme", dark ? "dark" : "light");
      setDark(dark);
      if (document.querySelector(".picture")) location.reload();  // a picture has the colours that it was drawn with
    },
    turned: (here, there) => (isNarrow() ? there : here),  // a picture is as high as a phone
    sized: (size) => (isNarrow() ? size * 0.6 : size),
    ink: (name = "--ink") => getComputedStyle(document.body).getPropertyValue(name).trim(),
    apart: () => {  // a name that would cover one of a heavier node is left out; a closer look has room for more
      let placed = [];
      let last = Infinity;
      return ({ dataIndex, labelRect: box }) => {
        if (dataIndex <= last) placed = [];
        last = dataIndex;
        const covers = (other) => Math.abs(other.y - box.y) < 18 && box.x < other.x + other.width + 8 && other.x < box.x + box.width + 8;
        if (placed.some(covers)) return { y: -1e5 };
        placed.push(box);
        return {};
      };
    },
    leave: () => fetch("/console/logout", { method: "POST" }).finally(() => { location.href = "/console/"; }),
    menu: (open) => menu(open ?? !document.querySelector(".shell").classList.contains("open")),
    all: (button) => {
      const text = button.previousElementSibling;
      const isCut = text.classList.toggle("cut");
      button.setAttribute("aria-expanded", String(!isCut));
      button.firstElementChild.textContent = isCut ? "Show all" : "Show less";
      if (isCut) text.scrollIntoView({ block: "nearest" });
    },
  };
  const menu = (open) => {
    const shell = document.querySelector(".shell");
    const button = document.querySelector("[aria-controls=pages]");
    const nav = document.getElementById("pages");
    shell.style.setProperty("--head", `${document.querySelector(".top").offsetHeight}px`);
    if (!open && nav.contains(document.activeElement)) button.focus();
    shell.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
    if (open) (nav.querySelector("[aria-current]") || nav.querySelector("a")).focus();
  };
  const isMenuOpen = () => document.querySelector(".shell.open") !== null;
  addEventListener("DOMContentLoaded", () => {
    const advice = document.querySelector("#popup span:last-of-type");
    if (advice) advice.textContent = "Is the server running? This page goes on when it answers; engrain console gives a new address.";
  });
  // An act can be undone on the next page, too, which asks for it by its name.
  const before = sessionStorage.getItem("engrain_act");
  sessionStorage.removeItem("engrain_act");
  const goOn = () => window.did_handshake ? emitEvent("act", before) : setTimeout(goOn, 50);
  if (before) addEventListener("DOMContentLoaded", goOn);
  addEventListener("popstate", () => location.reload());
  addEventListener("click", (event) => {
    const scope = document.querySelector(".scope[open]");
    if (scope && !scope.contains(event.target)) scope.open = false;
    if (isMenuOpen() && !event.target.closest("#pages, [aria-controls=pages]")) menu(false);
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
  addEventListener("focusin", (event) => {
    const at = items().indexOf(event.target.closest("#main .item"));
    if (at >= 0) acted = at;
  });
  addEventListener("pointerup", () => {
    if (pressed?.closest(".past")) pressed.click();
    pressed = null;
  }, true);

  // Keys: / searches, j and k move, Enter opens, x ticks, ? lists the keys; letters of buttons with data-key act on the chosen item.
  const items = () => [...document.querySelectorAll("#main .item")].filter((each) => each.offsetParent !== null && !each.closest(".coming, .past"));
  const move = (by) => {
    const all = items();
    if (!all.length) return;
    const at = all.findIndex((each) => each.classList.contains("chosen"));
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    all.forEach((each) => each.classList.remove("chosen"));
    next.classList.add("chosen");
    next.scrollIntoView({ block: "nearest" });
    opener(next)?.focus({ preventScroll: true });
  };
  addEventListener("keydown", (event) => {
    const target = event.target;
    const kept = event.key === "Escape" && document.querySelector("dialog[data-keep][open]");
    if (kept) {
      event.preventDefault();
      if (confirm(kept.dataset.keep)) kept.close();
      return;
    }
    if (event.key === "Escape" && isMenuOpen()) menu(false);
    const typing = target.matches?.("textarea, select, input:not([type=checkbox]):not([type=range])");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector("dialog[open]")) return;
    const search = document.querySelector("#main input[type=search]") || document.querySelector("header input[type=search]");
    const chosen = document.querySelector("#main .item.chosen") || target.closest?.(".item") || document;
    const own = /^[a-z]$/.test(event.key) && chosen.querySelector(`[data-key="${event.key}"]`);
    if (event.key === "/" && search) search.focus();
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "?") document.getElementById("keys").showModal();
    else if (event.key === "x" && chosen !== document) chosen.querySelector("input[type=checkbox]")?.click();
    else if (event.key === "Enter" && chosen !== document && !target.closest?.("a, button, summary")) opener(chosen)?.click();
    else if (own) own.click();
    else return;
    event.preventDefault();
  });
})();
