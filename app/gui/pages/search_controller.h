// State of the Search tab: the question, the search in a worker with its progress, the found layouts, and the answer to
// "why not this one". No pixels here.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/values/found_row.h"
#include "app/gui/values/search_question.h"
#include "core/planner/search/explain_layout.h"

#include <QString>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::gui {

class PlanController;

/// Progress of a running search.
struct SearchProgress {
    double evaluatedShare = 0;     ///< of the choices of degrees, in [0, 1]
    std::size_t numEstimated = 0;  ///< candidates with an estimated time
    double seconds = 0;            ///< since the start
};

/// The answer to "why not this layout", with the layout in question.
struct WhyAnswer {
    QString asked;
    RunConfig config;
    LayoutExplanation explanation;
    std::optional<FoundLayout> best;  ///< the reference of the comparison
};

class SearchController : public QObject {
    Q_OBJECT

public:
    enum class State { Empty, Running, Done, Cancelled, Failed };

    explicit SearchController(PlanController& plan);
    ~SearchController() override;

    [[nodiscard]] const SearchQuestion& question() const { return m_question; }
    void setQuestion(const SearchQuestion& question);
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isRunning() const { return m_state == State::Running; }
    /// Reason why the question is invalid; `where` names the axis or "devices".
    [[nodiscard]] const Error& error() const { return m_error; }
    [[nodiscard]] SearchProgress progress() const;
    /// The best by the objective, then the rest of the Pareto front.
    [[nodiscard]] const std::vector<FoundRow>& rows() const { return m_rows; }
    [[nodiscard]] const LayoutSearch& found() const { return m_found; }
    [[nodiscard]] double seconds() const { return m_seconds; }
    /// Limits of the search that no layout can meet, with reasons.
    [[nodiscard]] const std::vector<ImpossibleLimit>& impossible() const { return m_impossible; }
    /// True if the plan or the question changed after the search.
    [[nodiscard]] bool isStale() const;
    /// The search's request; the cluster is the plan's, extended and limited as requested. Valid only after a search.
    [[nodiscard]] const LayoutRequest& request() const { return m_request; }

    /// The complete forecast of a layout, as in its row.
    [[nodiscard]] std::shared_ptr<const Plan> planOf(const FoundLayout& layout) const;

    void start();
    /// Stops within a moment; results so far stay.
    void cancel();
    /// Applies the layout to the plan; undoable.
    void apply(std::size_t row);
    void apply(const FoundLayout& layout);
    /// Searches a row's family for layouts as fast within kSameForecast; emits alternativesChanged().
    void askAlternatives(std::size_t row);
    /// Of the last requested row; empty until known, and where every layout is listed separately.
    [[nodiscard]] const std::optional<std::vector<FoundLayout>>& alternatives() const { return m_alternatives; }
    /// In the words of `slipway search --why`: "tp=8,pp=4" or "config". Emits whyAnswered().
    void askWhy(const QString& layout);
    [[nodiscard]] const std::optional<WhyAnswer>& why() const { return m_why; }
    [[nodiscard]] const QString& whyProblem() const { return m_whyProblem; }
    /// A sweep of the five best, as in `slipway search --sweep`; `done` gets its file's text or the problem.
    void benchmark(std::function<void(const Result<std::string>&)> done);

signals:
    void stateChanged();
    void progressChanged();
    void questionChanged();
    void staleChanged();
    void whyAnswered();
    void alternativesChanged();

private:
    struct Counter;
    struct Answer;
    void take(Answer answer);
    void markCurrent();

    PlanController& m_plan;
    SearchQuestion m_question, m_askedQuestion;
    PlanDocument m_askedDocument;
    State m_state = State::Empty;
    Error m_error;
    LayoutRequest m_request;
    LayoutSearch m_found;
    std::vector<FoundRow> m_rows;
    std::vector<ImpossibleLimit> m_impossible;
    double m_seconds = 0, m_begin = 0;
    std::shared_ptr<Counter> m_counter;
    QTimer m_tick;
    std::stop_source m_stop;  ///< of the running search; its answer still arrives
    std::optional<WhyAnswer> m_why;
    QString m_whyProblem;
    std::optional<std::vector<FoundLayout>> m_alternatives;
    LatestJob m_job, m_whyJob, m_benchmarkJob, m_alternativesJob;
};

}  // namespace slipway::gui
