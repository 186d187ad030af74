// What the Search tab knows: the question, the search in a worker with its progress, the layouts it found, and the
// answer to "why not this one". No pixels here.
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

/// How far a running search is.
struct SearchProgress {
    double judgedShare = 0;        ///< of the choices of degrees, in [0, 1]
    std::size_t numEstimated = 0;  ///< candidates whose time is known
    double seconds = 0;            ///< since the start
};

/// The answer to "why not this layout", with the layout that it is about.
struct WhyAnswer {
    QString asked;
    RunConfig config;
    LayoutExplanation explanation;
    std::optional<FoundLayout> best;  ///< what it was compared with
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
    /// Why the question cannot be searched; `where` names the axis or "devices".
    [[nodiscard]] const Error& error() const { return m_error; }
    [[nodiscard]] SearchProgress progress() const;
    /// The best by the objective, then the rest of the Pareto front.
    [[nodiscard]] const std::vector<FoundRow>& rows() const { return m_rows; }
    [[nodiscard]] const LayoutSearch& found() const { return m_found; }
    [[nodiscard]] double seconds() const { return m_seconds; }
    /// Limits of the search that no layout can meet, and why.
    [[nodiscard]] const std::vector<ImpossibleLimit>& impossible() const { return m_impossible; }
    /// The plan or the question changed after the search.
    [[nodiscard]] bool isStale() const;
    /// The search's request; the cluster is the plan's, grown and limited as requested. Only after a search.
    [[nodiscard]] const LayoutRequest& request() const { return m_request; }

    /// The whole forecast of a layout, as its row was made.
    [[nodiscard]] std::shared_ptr<const Plan> planOf(const FoundLayout& layout) const;

    void start();
    /// Stops within a moment; what was found until then stays.
    void cancel();
    /// The layout becomes the plan's; undoable.
    void apply(std::size_t row);
    void apply(const FoundLayout& layout);
    /// Looks for the layouts that are as fast as a row's within kSameForecast, of its family; answered by alternativesChanged().
    void askAlternatives(std::size_t row);
    /// Of the row requested last; empty until they are known, and where every layout is listed by itself.
    [[nodiscard]] const std::optional<std::vector<FoundLayout>>& alternatives() const { return m_alternatives; }
    /// In the words of `slipway search --why`: "tp=8,pp=4" or "config". The answer comes as whyAnswered().
    void askWhy(const QString& layout);
    [[nodiscard]] const std::optional<WhyAnswer>& why() const { return m_why; }
    [[nodiscard]] const QString& whyProblem() const { return m_whyProblem; }
    /// A sweep of the five best, as `slipway search --sweep` writes it; `done` gets its file's text or the problem.
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
    std::stop_source m_stop;  ///< of the search that runs; its answer still comes
    std::optional<WhyAnswer> m_why;
    QString m_whyProblem;
    std::optional<std::vector<FoundLayout>> m_alternatives;
    LatestJob m_job, m_whyJob, m_benchmarkJob, m_alternativesJob;
};

}  // namespace slipway::gui
