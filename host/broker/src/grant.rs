//! What may be called: grants of the operator, and what tools do to the world. Both are decided
//! here, in the broker. The server that asks cannot change either.

use pif_domain::{Access, Approval, EffectClass, Grant, Pin};

use super::config::{Pattern, Server};

/// What the operator grants for a tool. The pattern with the longest beginning decides, of equal ones
/// the stricter; without any nothing is granted.
#[must_use]
pub fn granted(rules: &[(Pattern, Grant)], tool: &str) -> Grant {
    super::config::decide(rules, tool).unwrap_or(Grant::Deny)
}

/// Whether nothing is granted for a tool, whatever its server offers. A name that a program writes may
/// stand for another one, in which `_` is another character.
#[must_use]
pub fn surely_denied(rules: &[(Pattern, Grant)], tool: &str) -> bool {
    let is_denied = |name: &str| granted(rules, name) == Grant::Deny;
    let is_named = rules.iter().any(|(pattern, _)| pattern.to_string() == tool);
    is_denied(tool) && (is_named || is_denied(&tool.replace('_', "-")))
}

/// The hints of a server about a tool of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It adds and takes nothing away.
    pub additive: bool,
}

/// What a tool does: what the operator says, else what its server says, else the worst.
#[must_use]
pub fn classify(server: &Server, tool: &str, hints: Hints) -> EffectClass {
    let hinted = match hints {
        Hints { read_only: true, .. } => EffectClass::Read,
        Hints { additive: true, .. } => EffectClass::Write,
        Hints { .. } => EffectClass::Destructive,
    };
    server.effect(tool).unwrap_or(hinted)
}

/// Why a call must not be made, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// One sentence in lower case.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Whether a call may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// It may.
    Granted,
    /// Somebody has to approve it first.
    Asks,
}

/// Whether a tool may be called. `approved` says who was asked and agreed, `model` whether the model
/// may do that.
pub fn permit(
    name: &str,
    grant: Grant,
    class: EffectClass,
    pin: Pin,
    (approved, model): (Option<Approval>, bool),
) -> Result<Permit, Denial> {
    let deny = |message: String, hint: String| Err(Denial { message, hint });
    // Where nothing is granted, to approve a definition does not help.
    if grant == Grant::Deny {
        return Err(ungranted(name));
    }
    match pin {
        Pin::Pending => {
            return deny(
                format!("nobody has approved `{name}` yet"),
                format!("the operator approves it: mcp-pif capability approve {name}"),
            );
        }
        Pin::Changed => {
            return deny(
                format!("the definition of `{name}` is not the one that was approved"),
                format!(
                    "the operator looks at it and approves it: mcp-pif capability approve {name}"
                ),
            );
        }
        Pin::Approved => {}
    }
    match grant.access(class) {
        Access::Granted => Ok(Permit::Granted),
        Access::Asks => match approved {
            None => Ok(Permit::Asks),
            Some(Approval::Model) if !model => deny(
                format!("the model may not approve a call of `{name}`"),
                "the operator lets it in capabilities.json: `model_may_approve`".to_owned(),
            ),
            Some(Approval::Once | Approval::Model) => Ok(Permit::Granted),
        },
        Access::Denied => deny(
            format!("`{name}` {}, which the grant `{}` does not cover", class.verb(), grant.name()),
            "the operator grants it, or says in `effects` that it does less".to_owned(),
        ),
    }
}

/// Why a tool must not be called that no grant covers.
#[must_use]
pub fn ungranted(name: &str) -> Denial {
    let (id, tool) = name.split_once('.').unwrap_or((name, "*"));
    Denial {
        message: format!("no grant covers `{name}`"),
        hint: format!(
            "the operator writes at the server `{id}` in capabilities.json: \
             \"grants\": {{\"{tool}\": \"allow\"}}, or \"read\" if it only reads"
        ),
    }
}

/// Why a call that may change something is not made for a run that only reads.
#[must_use]
pub fn fenced(name: &str) -> Denial {
    Denial {
        message: format!("`{name}` may change something, and this run only reads"),
        hint: "call tools that only read; whoever asks can allow writes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(written: &[(&str, Grant)]) -> Vec<(Pattern, Grant)> {
        let read = |text| Pattern::parse(text).expect("a pattern");
        written.iter().map(|(text, grant)| (read(*text), *grant)).collect()
    }

    #[test]
    fn the_longest_beginning_decides_and_of_equal_ones_the_stricter() {
        let rules = rules(&[
            ("*", Grant::Read),
            ("search_*", Grant::Allow),
            ("search_code", Grant::Deny),
            ("search_code*", Grant::Allow),
            ("a*", Grant::Allow),
            ("a*", Grant::Ask),
        ]);
        for (tool, expected) in [
            ("list", Grant::Read),
            ("search_issues", Grant::Allow),
            ("search_code", Grant::Deny),
            ("search_codes", Grant::Allow),
            ("ab", Grant::Ask),
        ] {
            assert_eq!(granted(&rules, tool), expected, "{tool}");
        }
        assert_eq!(granted(&[], "list"), Grant::Deny);
    }

    #[test]
    fn what_may_be_called_depends_on_grant_effect_and_pin() {
        use EffectClass::{Destructive, Read, Write};
        use Permit::{Asks, Granted};
        let permit = |grant, class, pin, approved, model| {
            permit("a.b", grant, class, pin, (approved, model))
        };
        let (once, model) = (Some(Approval::Once), Some(Approval::Model));
        let expected = [
            (Grant::Allow, Destructive, None, false, Some(Granted)),
            (Grant::Read, Read, None, false, Some(Granted)),
            (Grant::Read, Write, None, false, None),
            (Grant::Ask, Read, None, true, Some(Asks)),
            (Grant::Ask, Destructive, once, false, Some(Granted)),
            (Grant::Ask, Write, model, true, Some(Granted)),
            (Grant::Ask, Write, model, false, None),
            (Grant::Read, Write, once, true, None),
            (Grant::Deny, Read, once, true, None),
        ];
        for (grant, class, approved, may, permitted) in expected {
            let found = permit(grant, class, Pin::Approved, approved, may).ok();
            assert_eq!(found, permitted, "{grant:?} {class:?} {approved:?} {may}");
        }
        for pin in [Pin::Pending, Pin::Changed] {
            let denial = permit(Grant::Allow, Read, pin, once, true).expect_err("denied");
            assert!(denial.hint.ends_with("mcp-pif capability approve a.b"), "{}", denial.hint);
        }
    }
}
