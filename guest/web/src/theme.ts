// Light and dark: the system's choice, or the reader's.

const THEME = "mcp-pif.theme";
const CHOICES = ["auto", "light", "dark"] as const;
type Choice = (typeof CHOICES)[number];

const LABELS: Record<Choice, string> = { auto: "Auto", light: "Light", dark: "Dark" };

function stored(): Choice {
  try {
    const text = localStorage.getItem(THEME);
    return CHOICES.find((choice) => choice === text) ?? "auto";
  } catch {
    return "auto";
  }
}

/** Makes a button change the theme in turn. */
export function theme(button: HTMLButtonElement): void {
  let choice = stored();
  const show = () => {
    document.documentElement.dataset["theme"] = choice;
    button.textContent = LABELS[choice];
    button.setAttribute("aria-label", `Colour theme: ${LABELS[choice]}`);
  };
  button.addEventListener("click", () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length] ?? "auto";
    try {
      localStorage.setItem(THEME, choice);
    } catch {
      // Then it holds for this visit.
    }
    show();
  });
  show();
}
