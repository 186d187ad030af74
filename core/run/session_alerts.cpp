// A session's data for its alerts.
#include "core/run/session_impl.h"

namespace slipway {

void RunSession::Impl::pollAlerts(std::int64_t now) {
    AlertView view;
    view.store = store;
    view.home = &home;
    view.folder = &folder;
    view.id = id;
    view.name = config.name;
    view.layout = isShapeKnown && !program ? &config.parallel : nullptr;
    view.attempt = attempt;
    view.lastStep = lastStep;
    view.arrivedAttempt = arrival->attempt;
    view.arrivedStep = arrival->step;
    view.endedAttempt = arrival->endedAttempt;
    view.status = status;
    view.reason = reason;
    view.isDone = phase == Phase::Done;
    const bool hasBegun = attempt > 0 && status != RunStatus::Planned && status != RunStatus::Queued;
    view.mayRaise = hasBegun && !leavesRestarts && !follower.isElsewhere();
    view.isRunning = phase == Phase::Following && status == RunStatus::Running;
    view.isDiskHere = nodes.empty();
    if (const auto polled = alerts.poll(view, now, out); !polled) problem(polled.error());
}

}  // namespace slipway
