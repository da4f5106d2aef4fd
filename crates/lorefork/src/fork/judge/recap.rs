//! Whether scenes and running recap are as complete as they should be.

use crate::choice::Choice;
use crate::error::Code;
use crate::error::report::{Finding, Policy, Report};
use crate::fork::look::Look;
use crate::fork::request::{Doing, Request};
use crate::host::ChatView;
use crate::memory::back::is_told;
use crate::memory::running::{self, Running};
use crate::say;

/// Whether a timeline that ends at N has a running recap: one is in use, and a version of it tells of
/// nothing later.
pub(super) fn is_kept<C: ChatView>(look: &Look<C>, running: &Running) -> bool {
    let is_kept = |scene: usize, time: Option<f64>| {
        let is_read = look.has_all_scenes || look.scenes.iter().any(|read| read.at == scene);
        scene <= look.at && (!is_read || is_told(&look.scenes, scene, time))
    };
    running.current().is_some()
        && running.versions.iter().any(|version| {
            usize::try_from(version.scene).is_ok_and(|scene| is_kept(scene, version.time))
        })
}

fn is_used(running: &Running) -> bool {
    running.current().is_some()
}

pub(super) fn recap_is_complete<C: ChatView>(
    report: &mut Report,
    look: &Look<C>,
    request: &Request,
    running: Option<&Running>,
) {
    let (at, policy) = (look.at, request.policy);
    if !report.state.has_scene_break && request.doing == Doing::Fork {
        let mut finding = Finding::new(
            Code::NoSceneBreak,
            say!("Message {0} does not end a scene.", at),
            match policy {
                Policy::Standard => say!(
                    "Forking inside a scene is fine. To fork between two scenes, end one with the \
                     clapperboard button first."
                ),
                Policy::Strict => say!("End the scene here with the clapperboard button."),
            },
        )
        .here(say!("This message does not end a scene."));
        if policy == Policy::Strict {
            finding = finding.or(Choice::NotStrict);
        }
        report.strict(policy, finding);
    }
    let scene = look.scenes.iter().rev().find(|scene| scene.closes_scene());
    if let Some(scene) = scene
        && !scene.has_recap()
    {
        report.strict(
            policy,
            Finding::new(
                Code::NoSceneRecap,
                say!("The scene that ends at message {0} has no recap yet.", &scene.at),
                say!(
                    "Open the scene's panel, choose Generate, wait until it is done, then try \
                     again."
                ),
            ),
        );
    } else if let Some(scene) = scene
        && scene.snapshot.is_none()
    {
        report.strict(
            policy,
            Finding::new(
                Code::SceneWithoutSnapshot,
                say!(
                    "The scene that ends at message {0} has no snapshot of the lorebook.",
                    &scene.at,
                ),
                say!(
                    "It is recorded when {0} combines the scene into the running recap.",
                    running::keeper()
                ),
            ),
        );
    }
    if !report.state.has_running_recap && policy == Policy::Strict && running.is_some_and(is_used) {
        report.error(
            Finding::new(
                Code::NoRunningRecap,
                say!("There was no running recap yet at message {0}.", &at),
                say!("Fork at a later message."),
            )
            .or(Choice::NotStrict),
        );
    }
    if !running.is_some_and(is_used) {
        report.strict(
            policy,
            Finding::new(
                Code::NoRunningRecap,
                say!("There is no running recap yet."),
                say!(
                    "Generate one in {0}'s settings, under running recap, wait until it is done, \
                     then try again.",
                    running::keeper()
                ),
            ),
        );
        return;
    }
    let recapped = look.scenes.iter().rev().find(|scene| scene.recap.is_some());
    if let Some(scene) = recapped
        && !running.is_some_and(|running| {
            running.versions.iter().any(|version| usize::try_from(version.scene) == Ok(scene.at))
        })
    {
        report.strict(
            policy,
            Finding::new(
                Code::NotInRunningRecap,
                say!(
                    "The scene that ends at message {0} is not part of the running recap yet.",
                    &scene.at,
                ),
                say!("Wait until {0} has combined it, then try again.", running::keeper()),
            ),
        );
    }
}
