#include "app/gui/pages/search_words.h"

#include "app/gui/pages/search_pictures.h"
#include "app/gui/pages/search_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"

namespace slipway::gui {
namespace {

using State = SearchController::State;

}  // namespace

void showSearchState(StatePanel& panel, SearchController& search) {
    switch (search.state()) {
        case State::Empty:
            panel.show(
                SearchView::tr("Which layout is best?"),
                SearchView::tr(
                    "The search evaluates every legal layout of this plan's model, batch and hardware, keeps the fastest and the Pareto-optimal ones, and lists skipped layouts with their reasons."),
                {{SearchView::tr("Search"), [&search] { search.start(); }, true}});
            break;
        case State::Failed:
            panel.show(SearchView::tr("The search cannot run."), errorText(search.error()),
                       {{SearchView::tr("Free all"), [&search] {
                             SearchQuestion question = search.question();
                             question.axes = {};
                             question.devices.clear();
                             search.setQuestion(question);
                             search.start();
                         }}});
            break;
        case State::Running:
            panel.show(
                SearchView::tr("Searching…"),
                SearchView::tr(
                    "Every layout is first checked for legality and memory; promising layouts are then estimated."),
                {{SearchView::tr("Cancel"), [&search] { search.cancel(); }}});
            break;
        case State::Cancelled:
            panel.show(SearchView::tr("Cancelled before the first result."), SearchView::tr("No results were kept."),
                       {{SearchView::tr("Search"), [&search] { search.start(); }, true}});
            break;
        case State::Done:
            panel.show(search.impossible().empty() ? SearchView::tr("No layout fits.")
                                                   : SearchView::tr("No layout meets the limits."),
                       countSentences(search.found()).join(QStringLiteral("; ")) + QStringLiteral("."),
                       {{SearchView::tr("Free all"), [&search] {
                             SearchQuestion question = search.question();
                             question.axes = {};
                             question.memoryBytes.reset();
                             search.setQuestion(question);
                             search.start();
                         }}});
            break;
    }
}

QString searchStatusText(const SearchController& search) {
    if (search.isRunning()) {
        const SearchProgress p = search.progress();
        return p.evaluatedShare < 1 ? SearchView::tr("Checking legality and memory: %1, %2")
                                          .arg(percentText(p.evaluatedShare), secondsText(p.seconds))
                                    : SearchView::tr("Evaluating promising groups of layouts: %1 so far, %2")
                                          .arg(countText(static_cast<double>(p.numEstimated)), secondsText(p.seconds));
    }
    if (search.state() != State::Done && search.state() != State::Cancelled)
        return search.state() == State::Failed ? SearchView::tr("Correct the marked limit.")
                                               : SearchView::tr("Not searched yet");
    QString text =
        search.state() == State::Cancelled
            ? SearchView::tr("Cancelled after %1; results until then are kept").arg(secondsText(search.seconds()))
            : SearchView::tr("%1 layouts evaluated in %2")
                  .arg(shortText(search.found().numLayouts), secondsText(search.seconds()));
    if (search.isStale()) text = SearchView::tr("The plan or the limits have changed since this search.") + ' ' + text;
    return text + QStringLiteral(" · ") + countSentences(search.found()).join(QStringLiteral(" · "));
}

}  // namespace slipway::gui
