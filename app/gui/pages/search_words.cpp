#include "app/gui/pages/search_words.h"

#include "app/gui/format.h"
#include "app/gui/pages/search_pictures.h"
#include "app/gui/pages/search_view.h"
#include "app/gui/text.h"
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
                    "The search judges every legal layout of this plan's model, batch and hardware, keeps the fastest and those that trade speed for memory, and says what it left out and why."),
                {{SearchView::tr("Search"), [&search] { search.start(); }, true}});
            break;
        case State::Failed:
            panel.show(SearchView::tr("This cannot be searched."), errorText(search.error()),
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
                    "First every layout is judged for legality and memory, then the promising ones are estimated."),
                {{SearchView::tr("Cancel"), [&search] { search.cancel(); }}});
            break;
        case State::Cancelled:
            panel.show(SearchView::tr("Cancelled before anything was found."), SearchView::tr("Nothing was kept."),
                       {{SearchView::tr("Search"), [&search] { search.start(); }, true}});
            break;
        case State::Done:
            panel.show(search.impossible().empty() ? SearchView::tr("No layout fits.")
                                                   : SearchView::tr("No layout can be as asked for."),
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
        return p.judgedShare < 1 ? SearchView::tr("Judging legality and memory: %1, %2")
                                       .arg(percentText(p.judgedShare), secondsText(p.seconds))
                                 : SearchView::tr("Looking into the promising groups of layouts: %1 so far, %2")
                                       .arg(countText(static_cast<double>(p.numEstimated)), secondsText(p.seconds));
    }
    if (search.state() != State::Done && search.state() != State::Cancelled)
        return search.state() == State::Failed ? SearchView::tr("Correct the limit that is marked.")
                                               : SearchView::tr("Not searched yet");
    QString text =
        search.state() == State::Cancelled
            ? SearchView::tr("Cancelled after %1; what was found until then is kept").arg(secondsText(search.seconds()))
            : SearchView::tr("%1 layouts judged in %2")
                  .arg(shortText(search.found().numLayouts), secondsText(search.seconds()));
    if (search.isStale()) text = SearchView::tr("The plan or the limits have changed since this search.") + ' ' + text;
    return text + QStringLiteral(" · ") + countSentences(search.found()).join(QStringLiteral(" · "));
}

}  // namespace slipway::gui
