#include "app/gui/pages/search_controller.h"

#include "app/gui/pages/plan_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/planner/plan.h"
#include "core/planner/search/search_request.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>

namespace slipway::gui {

namespace {

constexpr std::size_t kBenchmarked = 5;

/// Equal for layouts with the same text and number of ranks, regardless of their notation.
using LayoutKey = std::pair<std::int64_t, std::string>;

LayoutKey keyOf(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute) {
    return {parallel.worldSize(), layoutText(parallel, microBatchSize, recompute)};
}

LayoutKey keyOf(const FoundLayout& l) {
    return keyOf(l.parallel, l.microBatchSize, l.recompute);
}

}  // namespace

/// Written by the search's threads, read by the window ten times a second.
struct SearchController::Counter {
    std::atomic<std::size_t> done{0}, of{0}, estimated{0};
    std::atomic<int> calls{0};

    /// All cores of the computer; the first call evaluates, later ones estimate.
    void run(std::size_t count, const std::function<void(std::size_t)>& body) {
        const bool evaluating = calls++ == 0;
        if (evaluating) of = count;
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < count; i = next++) {
                body(i);
                ++(evaluating ? done : estimated);
            }
        };
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i < std::min<std::size_t>(std::thread::hardware_concurrency(), count); ++i)
            threads.emplace_back(work);
        work();
    }
};

/// Result of a search, and its limits that no layout can meet.
struct SearchController::Answer {
    LayoutSearch found;
    std::vector<ImpossibleLimit> impossible;
    double seconds = 0;
};

SearchController::SearchController(PlanController& plan)
    : QObject(&plan), m_plan(plan), m_job(this), m_whyJob(this), m_benchmarkJob(this), m_alternativesJob(this) {
    m_tick.setInterval(100);
    connect(&m_tick, &QTimer::timeout, this, &SearchController::progressChanged);
    connect(&m_plan, &PlanController::documentChanged, this, [this] {
        markCurrent();
        emit staleChanged();
    });
}

SearchController::~SearchController() {
    m_stop.request_stop();
}

void SearchController::setQuestion(const SearchQuestion& question) {
    if (question == m_question) return;
    m_question = question;
    emit questionChanged();
    emit staleChanged();
}

bool SearchController::isStale() const {
    if (m_state != State::Done && m_state != State::Cancelled) return false;
    return m_question != m_askedQuestion || !asksTheSame(m_plan.document(), m_askedDocument);
}

SearchProgress SearchController::progress() const {
    if (!m_counter) return {};
    const double of = static_cast<double>(m_counter->of.load());
    return {of > 0 ? static_cast<double>(m_counter->done.load()) / of : 0, m_counter->estimated.load(),
            monotonicSecondsNow() - m_begin};
}

std::shared_ptr<const Plan> SearchController::planOf(const FoundLayout& layout) const {
    return std::make_shared<Plan>(makePlan(layout.applied(m_request.config), m_request.cluster));
}

void SearchController::start() {
    auto request = requestOf(m_plan.document(), m_question);
    if (!request) {
        m_stop.request_stop();
        m_job.cancel();
        m_tick.stop();
        m_error = request.error();
        m_state = State::Failed;
        emit stateChanged();
        return;
    }
    m_askedQuestion = m_question;
    m_askedDocument = m_plan.document();
    m_request = *request;
    m_counter = std::make_shared<Counter>();
    m_begin = monotonicSecondsNow();
    m_state = State::Running;
    m_why.reset();
    m_whyProblem.clear();
    m_tick.start();
    emit stateChanged();
    emit whyAnswered();
    m_stop.request_stop();  // of the previous search
    m_stop = std::stop_source();
    request->stop = m_stop.get_token();
    m_job.start(
        [request = std::move(*request), counter = m_counter, begin = m_begin](std::stop_token) mutable {
            request.run = [counter](std::size_t count, const std::function<void(std::size_t)>& body) {
                counter->run(count, body);
            };
            Answer answer{searchLayouts(request), {}, 0};
            answer.seconds = monotonicSecondsNow() - begin;
            answer.impossible = impossibleLimits(request);
            return answer;
        },
        [this](Answer answer) { take(std::move(answer)); });
}

void SearchController::cancel() {
    if (isRunning()) m_stop.request_stop();
}

void SearchController::take(Answer answer) {
    m_tick.stop();
    m_found = std::move(answer.found);
    m_impossible = std::move(answer.impossible);
    m_seconds = answer.seconds;
    m_alternativesJob.cancel();
    m_alternatives.reset();
    m_rows.clear();
    for (const FoundLayout& layout : m_found.best)
        m_rows.push_back({layout, static_cast<int>(m_rows.size()) + 1, false, false});
    for (const FoundLayout& layout : m_found.front) {
        const auto listed = std::find_if(m_rows.begin(), m_rows.end(),
                                         [&](const FoundRow& row) { return keyOf(row.layout) == keyOf(layout); });
        if (listed != m_rows.end())
            listed->onFront = true;
        else
            m_rows.push_back({layout, 0, true, false});
    }
    markCurrent();
    m_state = m_found.stopped ? State::Cancelled : State::Done;
    emit stateChanged();
}

void SearchController::markCurrent() {
    const RunConfig& c = m_plan.document().config;
    const LayoutKey mine = keyOf(c.parallel, c.train.microBatchSize, c.train.recompute.policy);
    for (FoundRow& row : m_rows) row.isCurrent = keyOf(row.layout) == mine;
}

void SearchController::apply(std::size_t row) {
    if (row < m_rows.size()) apply(m_rows[row].layout);
}

void SearchController::apply(const FoundLayout& layout) {
    PlanDocument next = m_plan.document();
    next.config = layout.applied(next.config);
    // More devices than the plan's hardware: the search added nodes.
    if (next.cluster.device.kind != DeviceKind::Cpu && layout.parallel.worldSize() > next.cluster.numDevices())
        next.cluster.numNodes = m_request.cluster.numNodes;
    m_plan.replace(tr("Apply layout"), next);
}

void SearchController::askAlternatives(std::size_t row) {
    m_alternatives.reset();
    if (row >= m_rows.size() || !m_request.distinct) {
        m_alternativesJob.cancel();
        emit alternativesChanged();
        return;
    }
    m_alternativesJob.start(
        [request = m_request, layout = m_rows[row].layout](std::stop_token token) mutable {
            request.stop = std::move(token);
            return alternativesTo(request, layout);
        },
        [this](std::vector<FoundLayout> alternatives) {
            m_alternatives = std::move(alternatives);
            emit alternativesChanged();
        });
    emit alternativesChanged();
}

void SearchController::askWhy(const QString& layout) {
    const bool searched = m_state == State::Done || m_state == State::Cancelled;
    auto request = searched ? Result<LayoutRequest>(m_request) : requestOf(m_plan.document(), m_question);
    m_why.reset();
    m_whyProblem.clear();
    auto named =
        request ? layoutFromText(*request, layout.trimmed().toStdString()) : Result<RunConfig>(fail(request.error()));
    if (!named) {
        m_whyJob.cancel();
        m_whyProblem = errorText(named.error());
        emit whyAnswered();
        return;
    }
    const std::vector<FoundLayout> best =
        searched && !m_found.best.empty() ? std::vector{m_found.best.front()} : std::vector<FoundLayout>{};
    m_whyJob.start(
        [request = std::move(*request), config = std::move(*named), best, layout](std::stop_token) {
            WhyAnswer answer{layout, config, explainLayout(request, config, best), {}};
            if (!best.empty()) answer.best = best.front();
            return answer;
        },
        [this](WhyAnswer answer) {
            m_why = std::move(answer);
            emit whyAnswered();
        });
}

void SearchController::benchmark(std::function<void(const Result<std::string>&)> done) {
    m_benchmarkJob.start(
        [request = m_request, found = m_found](std::stop_token token) mutable -> Result<std::string> {
            request.stop = std::move(token);
            const std::vector<FoundLayout> layouts = layoutsToBenchmark(request, found, kBenchmarked);
            if (layouts.empty()) return fail("no_layout", "No layout fits, so there is nothing to benchmark."_text);
            return dumpJson(benchmarkSweep(request, layouts), true);
        },
        std::move(done));
}

}  // namespace slipway::gui
