// Tabs, as the authoring practices of WAI-ARIA have them.

import { byId } from "./dom.ts";

export type Tab = "result" | "tree" | "steps" | "reference" | "toolbox" | "receipt";

export class Tabs {
  private readonly tabs: HTMLElement[];

  constructor(list: HTMLElement, private readonly opened: (tab: Tab) => void) {
    this.tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
    for (const tab of this.tabs) tab.addEventListener("click", () => this.open(nameOf(tab)));
    list.addEventListener("keydown", (event) => {
      const at = this.tabs.findIndex((tab) => tab === event.target);
      const last = this.tabs.length - 1;
      const moves: Record<string, number> = {
        ArrowRight: at === last ? 0 : at + 1,
        ArrowLeft: at === 0 ? last : at - 1,
        Home: 0,
        End: last,
      };
      const next = this.tabs[moves[event.key] ?? -1];
      if (at < 0 || next === undefined) return;
      event.preventDefault();
      this.open(nameOf(next));
      next.focus();
    });
  }

  get current(): Tab {
    const tab = this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true");
    return tab === undefined ? "result" : nameOf(tab);
  }

  open(name: Tab): void {
    for (const tab of this.tabs) {
      const isChosen = nameOf(tab) === name;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      byId(nameOf(tab)).hidden = !isChosen;
    }
    this.opened(name);
  }
}

function nameOf(tab: HTMLElement): Tab {
  return tab.getAttribute("aria-controls") as Tab;
}
