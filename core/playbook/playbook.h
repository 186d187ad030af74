// The playbook: chapters with question, guess, explanation and checks, and the experiments that decide. All of it is data: one JSON file a
// chapter and one an experiment (experiments/playbook/README.md), each text in English and Korean.
//   auto playbook = readPlaybook(findPlaybookFolder());   playbook->chapters.front().title.in(Language::Korean)
#pragma once

#include "core/base/language.h"
#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct LocalText {
    std::string english, korean;
    [[nodiscard]] const std::string& in(Language language) const {
        return language == Language::Korean ? korean : english;
    }
    [[nodiscard]] bool empty() const { return english.empty(); }
};

/// A figure model, what goes in, and which of its outputs is meant. Inputs as compact JSON.
struct FigureCall {
    std::string model;
    std::string inputsJson = "{}";
    std::string output;
};

/// What the reader types before anything is shown.
struct GuessQuestion {
    LocalText asked, unit;
    std::optional<FigureCall> answer;  ///< absent where only an experiment's claim answers
    std::string claim;                 ///< of an experiment: the claim that answers; empty in chapters
    double scale = 1;                  ///< the answer times this is in `unit`
    double tolerance = 0.1;            ///< relative: within it a guess is right
};

struct Slider {
    std::string input;  ///< of the figure model
    std::string field;  ///< of a run config, which the slider is bound to; empty: not part of a plan
    double low = 0, high = 1, value = 0;
    bool isLogarithmic = false;
};
struct FigureUse {
    LocalText title;
    std::string model;
    std::string inputsJson = "{}";  ///< inputs without a slider
    std::vector<Slider> sliders;
    std::vector<std::string> outputs;  ///< shown, in this order
};

/// A source's number, recomputed. A source's mistake is shown as such: `mistake` explains the printed figure.
struct Check {
    LocalText label;
    FigureCall call;
    std::string expectedJson;         ///< what the model must give
    std::string tolerance = "exact";  ///< "exact", "rel 1e-6", "abs 0.05"
    std::string printed;              ///< as the source prints it; empty where it prints none
    std::string row;                  ///< of tests/data/examples.csv
    std::string part;                 ///< JSON pointer into the row's expected value
    LocalText mistake;                ///< empty: the source is right
    std::string rightOutput;  ///< output with the corrected figure beside a mistake; empty: the expected one is right
};

/// A table of the sources, as they have it or corrected: what a chapter compares side by side.
struct ChapterTable {
    LocalText title;
    std::vector<LocalText> columns;
    std::vector<std::vector<LocalText>> rows;  ///< as many cells as columns
    std::string row;                           ///< of the inventory; empty: of no single one
};

struct Finding {
    LocalText text, contradictedBy;
    std::string source;
};
struct Trap {
    std::string rule;  ///< code of a lint rule; empty where no program can see it
    LocalText text;
};

struct Chapter {
    std::string id;
    std::int64_t number = 0;
    LocalText title, question, idea;
    GuessQuestion guess;
    std::vector<FigureUse> figures;
    std::vector<ChapterTable> tables;
    std::vector<Check> checks;
    std::vector<std::string> experiments;
    Finding finding;
    std::vector<Trap> traps;
    std::vector<std::string> sources;
};

enum class ExperimentNeed { Laptop, Gpu, Node, Cluster, Plan };

enum class ClaimKind {
    Ratio,      ///< median of `point` over median of `baseline`
    Difference  ///< median of `point` minus median of `baseline`, in the metric's unit
};
enum class ClaimSide {
    Around,  ///< within `tolerance` of `expected`
    Above,   ///< theory or source give a direction alone: above `expected`
    Below
};
/// One sentence of the expected result that a measurement can contradict.
struct Claim {
    std::string id;
    LocalText text;
    std::string metric;  ///< of a run ("step_seconds") or its curve (curve_figures.h), or "seconds" of a benchmark
    std::string baselineMetric;  ///< of the baseline; empty: the same
    ClaimKind kind = ClaimKind::Ratio;
    ClaimSide side = ClaimSide::Around;
    std::string point, baseline;  ///< names of points of the sweep, without the seed
    /// Compared repeat by repeat, which have the same seed on both sides: for losses, whose level depends on the seed.
    bool isPaired = false;
    double expected = 1;
    double tolerance = 0.1;  ///< absolute, of the ratio or the difference; 0 for a side

    [[nodiscard]] const std::string& metricOfBaseline() const {
        return baselineMetric.empty() ? metric : baselineMetric;
    }
};

/// A failure to rehearse: all ranks of these points are killed behind this step, once.
struct KillPoint {
    std::vector<std::string> points;
    std::int64_t step = 0;
};

struct Experiment {
    std::string id, chapter;
    LocalText title, question, hypothesis;
    ExperimentNeed need = ExperimentNeed::Laptop;
    LocalText hardware, axes, searched, fixed;
    std::int64_t repeats = 3;
    std::int64_t warmupSteps = 0;
    GuessQuestion guess;
    std::string sweepJson;       ///< a sweep file without seeds; empty: nothing to train
    std::string shortSweepJson;  ///< members that replace those of sweepJson under --short; empty: the same
    std::string bench;           ///< "comm": the trainer's own benchmark; "near_duplicates": simulated here; else empty
    std::string script;          ///< a job for other programs, which export writes; empty: none
    std::optional<KillPoint> kill;
    std::vector<Check> computes;  ///< of plan-only experiments
    std::vector<Claim> claims;
    LocalText derivation;  ///< how the expected figures follow from theory or a source; empty: see `finding`
    Finding finding;
    LocalText waitsFor;  ///< what is missing before it can run; empty: nothing
    std::vector<std::string> sources;
};

/// Label and unit of an input or output of figure models, or of a metric.
struct FigureWord {
    std::string key;
    LocalText label, unit;
};

struct Playbook {
    std::filesystem::path folder;
    std::vector<Chapter> chapters;        ///< by number
    std::vector<Experiment> experiments;  ///< by id: L1, L2, ... L16, G1, ...
    std::vector<FigureWord> words;

    [[nodiscard]] const Chapter* chapter(std::string_view idOrNumber) const;
    [[nodiscard]] const Experiment* experiment(std::string_view id) const;
    /// The key itself where no word names it.
    [[nodiscard]] LocalText label(std::string_view key) const;
    [[nodiscard]] LocalText unit(std::string_view key) const;
};

/// Reads chapters/*.json, experiments/*.json and words.json below the folder. "bad_playbook" with every problem of every file on its
/// own line: file, JSON pointer, what is wrong; "folder_missing".
Result<Playbook> readPlaybook(const std::filesystem::path& folder);

/// The same for readers, whom one damaged file must not keep from the others: what has problems is left out, with the links to it, and
/// listed in `problems`. "folder_missing".
Result<Playbook> readSoundPlaybook(const std::filesystem::path& folder, std::vector<Message>& problems);

/// SLIPWAY_PLAYBOOK_DIR, else the installed folder, else the one of the source tree that the running program was built in; empty when
/// none of them is there.
std::filesystem::path findPlaybookFolder();

std::string_view wordOf(ExperimentNeed need);

}  // namespace slipway
