<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <name>slipway::gui::AlternativesPane</name>
    <message numerus="yes">
        <source>%n nearly equal layout(s), Enter applies one</source>
        <translation>
            <numerusform>%n nearly equal layout, Enter applies it</numerusform>
            <numerusform>%n nearly equal layouts, Enter applies one</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::BoardView</name>
    <message numerus="yes">
        <source>%Ln run(s), no bands</source>
        <translation>
            <numerusform>%Ln run, no bands</numerusform>
            <numerusform>%Ln runs, no bands</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::ComparePage</name>
    <message numerus="yes">
        <source>%n run(s) could not be read.</source>
        <translation>
            <numerusform>%n run could not be read.</numerusform>
            <numerusform>%n runs could not be read.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s), baseline A</source>
        <translation>
            <numerusform>%Ln run, baseline A</numerusform>
            <numerusform>%Ln runs, baseline A</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n not recorded by every run</source>
        <translation>
            <numerusform>%n not recorded by every run</numerusform>
            <numerusform>%n not recorded by every run</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) without a value</source>
        <translation>
            <numerusform>%n run without a value</numerusform>
            <numerusform>%n runs without a value</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reading %Ln run(s)…</source>
        <translation>
            <numerusform>Reading %Ln run…</numerusform>
            <numerusform>Reading %Ln runs…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::CurvePlot</name>
    <message numerus="yes">
        <source>%1 by %2, %n curve(s). %3</source>
        <translation>
            <numerusform>%1 by %2, %n curve. %3</numerusform>
            <numerusform>%1 by %2, %n curves. %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::CurvesDialog</name>
    <message numerus="yes">
        <source>%n curve(s): %1</source>
        <translation>
            <numerusform>%n curve: %1</numerusform>
            <numerusform>%n curves: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::ExportDialog</name>
    <message numerus="yes">
        <source>%n field(s) cannot be expressed and will be lost.</source>
        <translation>
            <numerusform>%n field cannot be expressed and will be lost.</numerusform>
            <numerusform>%n fields cannot be expressed and will be lost.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::FieldPlot</name>
    <message numerus="yes">
        <source>%n point(s) ≤ 0</source>
        <translation>
            <numerusform>%n point ≤ 0</numerusform>
            <numerusform>%n points ≤ 0</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::FieldsView</name>
    <message numerus="yes">
        <source>%n without the figure</source>
        <translation>
            <numerusform>%n without the figure</numerusform>
            <numerusform>%n without the figure</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>hollow: %n more value(s)</source>
        <translation>
            <numerusform>hollow: %n more value</numerusform>
            <numerusform>hollow: %n more values</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without an MFU of this convention</source>
        <translation>
            <numerusform>%n without an MFU of this convention</numerusform>
            <numerusform>%n without an MFU of this convention</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::FilterChips</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::GroupsView</name>
    <message numerus="yes">
        <source>%1 to %2, mean %3, of %Ln run(s)</source>
        <translation>
            <numerusform>%1 to %2, mean %3, of %Ln run</numerusform>
            <numerusform>%1 to %2, mean %3, of %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::ImportDialog</name>
    <message numerus="yes">
        <source>Import %Ln run(s)</source>
        <translation>
            <numerusform>Import %Ln run</numerusform>
            <numerusform>Import %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::ImportJob</name>
    <message numerus="yes">
        <source>%Ln run(s) imported.</source>
        <translation>
            <numerusform>%Ln run imported.</numerusform>
            <numerusform>%Ln runs imported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::LaunchSheet</name>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln step</numerusform>
            <numerusform>%Ln steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::LintView</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::LogPane</name>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::MainWindow</name>
    <message numerus="yes">
        <source>%n run(s) continue without the window and are followed again when it opens.</source>
        <translation>
            <numerusform>%n run continues without the window and is followed again when it opens.</numerusform>
            <numerusform>%n runs continue without the window and are followed again when it opens.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::MetricChart</name>
    <message numerus="yes">
        <source>%n point(s) ≤ 0 skipped</source>
        <translation>
            <numerusform>%n point ≤ 0 skipped</numerusform>
            <numerusform>%n points ≤ 0 skipped</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n curve(s); the last value of %1 is %2.</source>
        <translation>
            <numerusform>%n curve; the last value of %1 is %2.</numerusform>
            <numerusform>%n curves; the last value of %1 is %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n point(s) clipped</source>
        <translation>
            <numerusform>%n point clipped</numerusform>
            <numerusform>%n points clipped</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::MfuView</name>
    <message numerus="yes">
        <source>% of the device peak; median of %n step(s), %1 to %2, mean over ranks</source>
        <translation>
            <numerusform>% of the device peak; %n step, %1 to %2, mean over ranks</numerusform>
            <numerusform>% of the device peak; medians of %n steps, %1 to %2, mean over ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::Navigation</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::NodeJobs</name>
    <message numerus="yes">
        <source>%n CPU(s)</source>
        <translation>
            <numerusform>%n CPU</numerusform>
            <numerusform>%n CPUs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::NodesPage</name>
    <message numerus="yes">
        <source>%1 of %n reachable</source>
        <translation>
            <numerusform>%1 of %n reachable</numerusform>
            <numerusform>%1 of %n reachable</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n GPU(s)</source>
        <translation>
            <numerusform>%1: %n GPU</numerusform>
            <numerusform>%1: %n GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n rank(s) on CPUs</source>
        <translation>
            <numerusform>%1: %n rank on CPUs</numerusform>
            <numerusform>%1: %n ranks on CPUs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::ParetoPlot</name>
    <message numerus="yes">
        <source>%n without a figure</source>
        <translation>
            <numerusform>%n without a figure</numerusform>
            <numerusform>%n without a figure</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlanPage</name>
    <message numerus="yes">
        <source>%n micro-batch(es)</source>
        <translation>
            <numerusform>%n micro-batch</numerusform>
            <numerusform>%n micro-batches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n GPU(s)</source>
        <translation>
            <numerusform>%n GPU</numerusform>
            <numerusform>%n GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n CPU rank(s)</source>
        <translation>
            <numerusform>%n CPU rank</numerusform>
            <numerusform>%n CPU ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n micro-batch(es), replica 0</source>
        <translation>
            <numerusform>%1, %n micro-batch, replica 0</numerusform>
            <numerusform>%1, %n micro-batches, replica 0</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layout(s) that fit in memory, fastest first</source>
        <translation>
            <numerusform>%n layout that fits in memory</numerusform>
            <numerusform>%n layouts that fit in memory, fastest first</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n suggestion(s)</source>
        <translation>
            <numerusform>%n suggestion</numerusform>
            <numerusform>%n suggestions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookBenchmark</name>
    <message numerus="yes">
        <source>%1 on %n node(s)</source>
        <translation>
            <numerusform>%1 on %n node</numerusform>
            <numerusform>%1 on %n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookExperiment</name>
    <message numerus="yes">
        <source>%n repeat(s) of one benchmark, some seconds each.</source>
        <translation>
            <numerusform>%n repeat of one benchmark, some seconds each.</numerusform>
            <numerusform>%n repeats of one benchmark, some seconds each.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n repeat(s) would decide.</source>
        <translation>
            <numerusform>%n repeat would decide.</numerusform>
            <numerusform>%n repeats would decide.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Run %n repeat(s)</source>
        <translation>
            <numerusform>Run %n repeat</numerusform>
            <numerusform>Run %n repeats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookGuesses</name>
    <message numerus="yes">
        <source>The planner&apos;s forecasts of %n claim(s): half of them are off by less than %1.</source>
        <translation>
            <numerusform>The planner&apos;s forecast of %n claim is off by less than %1.</numerusform>
            <numerusform>The planner&apos;s forecasts of %n claims: half of them are off by less than %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookPage</name>
    <message numerus="yes">
        <source>Chapter %1: %2 checks, %n experiment(s)</source>
        <translation>
            <numerusform>Chapter %1: %2 checks, %n experiment</numerusform>
            <numerusform>Chapter %1: %2 checks, %n experiments</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::RanksView</name>
    <message numerus="yes">
        <source>%n record(s) read at even distances</source>
        <translation>
            <numerusform>%n record read at even distances</numerusform>
            <numerusform>%n records read at even distances</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s) a row, the one furthest from the median</source>
        <translation>
            <numerusform>%n rank a row</numerusform>
            <numerusform>%n ranks a row, the one furthest from the median</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>node %1, rank %2: %3 slower for %n step(s), %4 to %5; %6 lost</source>
        <translation>
            <numerusform>node %1, rank %2: %3 slower for %n step, %4 to %5; %6 lost</numerusform>
            <numerusform>node %1, rank %2: %3 slower for %n steps, %4 to %5; %6 lost</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunPage</name>
    <message numerus="yes">
        <source>%n GPU(s) throttled, such as %1.</source>
        <translation>
            <numerusform>%n GPU throttled: %1.</numerusform>
            <numerusform>%n GPUs throttled, such as %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunPreview</name>
    <message numerus="yes">
        <source>%Ln run(s) selected</source>
        <translation>
            <numerusform>%Ln run selected</numerusform>
            <numerusform>%Ln runs selected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>tokens/s/device of the newest %Ln run(s)</source>
        <translation>
            <numerusform>tokens/s/device of the newest %Ln run</numerusform>
            <numerusform>tokens/s/device of the newest %Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>tokens/s/device of %Ln run(s)</source>
        <translation>
            <numerusform>tokens/s/device of %Ln run</numerusform>
            <numerusform>tokens/s/device of %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunsPage</name>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected</source>
        <translation>
            <numerusform>%Ln selected</numerusform>
            <numerusform>%Ln selected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) moved to trash; Ctrl+Z restores.</source>
        <translation>
            <numerusform>%Ln run moved to trash; Ctrl+Z restores.</numerusform>
            <numerusform>%Ln runs moved to trash; Ctrl+Z restores.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags to add to %n run(s); -tag removes one</source>
        <translation>
            <numerusform>Tags to add to %n run; -tag removes one</numerusform>
            <numerusform>Tags to add to %n runs; -tag removes one</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A line to add to the notes of %n run(s)</source>
        <translation>
            <numerusform>A line to add to the notes of %n run</numerusform>
            <numerusform>A line to add to the notes of %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunsPictures</name>
    <message numerus="yes">
        <source>%n Pareto-optimal</source>
        <translation>
            <numerusform>%n Pareto-optimal</numerusform>
            <numerusform>%n Pareto-optimal</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::ScheduleView</name>
    <message numerus="yes">
        <source>Forward and backward passes of %n pipeline stage(s); one step takes %1.</source>
        <translation>
            <numerusform>Forward and backward passes of %n pipeline stage; one step takes %1.</numerusform>
            <numerusform>Forward and backward passes of %n pipeline stages; one step takes %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::SearchView</name>
    <message numerus="yes">
        <source>%n axis/axes limited, the others are free</source>
        <translation>
            <numerusform>%n axis limited, the others are free</numerusform>
            <numerusform>%n axes limited, the others are free</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layout(s), Enter applies the selected one</source>
        <translation>
            <numerusform>%n layout, Enter applies it</numerusform>
            <numerusform>%n layouts, Enter applies the selected one</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n Pareto-optimal</source>
        <translation>
            <numerusform>%n Pareto-optimal</numerusform>
            <numerusform>%n Pareto-optimal</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::SettingsPage</name>
    <message numerus="yes">
        <source>Delete runs older than %n day(s) from the trash…</source>
        <translation>
            <numerusform>Delete runs older than %n day from the trash…</numerusform>
            <numerusform>Delete runs older than %n days from the trash…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Run folders in the trash for more than %n day(s) are deleted permanently.</source>
        <translation>
            <numerusform>Run folders in the trash for more than %n day are deleted permanently.</numerusform>
            <numerusform>Run folders in the trash for more than %n days are deleted permanently.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::SpanTimeline</name>
    <message numerus="yes">
        <source>Spans of %n rank(s) in step %1, which takes %2; rank %3 has the shortest wait, %4.</source>
        <translation>
            <numerusform>Spans of %n rank in step %1, which takes %2; rank %3 has the shortest wait, %4.</numerusform>
            <numerusform>Spans of %n ranks in step %1, which takes %2; rank %3 has the shortest wait, %4.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::SpecForm</name>
    <message numerus="yes">
        <source>%n field(s)</source>
        <translation>
            <numerusform>%n field</numerusform>
            <numerusform>%n fields</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::StartPanel</name>
    <message numerus="yes">
        <source>%n core(s), %1 memory</source>
        <translation>
            <numerusform>%n core, %1 memory</numerusform>
            <numerusform>%n cores, %1 memory</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::StripPlot</name>
    <message numerus="yes">
        <source>%n run(s) between %1 and %2.</source>
        <translation>
            <numerusform>%n run between %1 and %2.</numerusform>
            <numerusform>%n runs between %1 and %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::SweepForm</name>
    <message numerus="yes">
        <source>%n problem(s); nothing can start.</source>
        <translation>
            <numerusform>%n problem; nothing can start.</numerusform>
            <numerusform>%n problems; nothing can start.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::SweepView</name>
    <message numerus="yes">
        <source>%Ln trial(s)</source>
        <translation>
            <numerusform>%Ln trial</numerusform>
            <numerusform>%Ln trials</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::SweepsPage</name>
    <message numerus="yes">
        <source>%Ln sweep(s)</source>
        <translation>
            <numerusform>%Ln sweep</numerusform>
            <numerusform>%Ln sweeps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n running</numerusform>
            <numerusform>%n running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n at a time</source>
        <translation>
            <numerusform>%n at a time</numerusform>
            <numerusform>%n at a time</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running trial(s) end after their current step. Finished work stays, and Resume continues from there.</source>
        <translation>
            <numerusform>%n running trial ends after its current step. What is done stays, and Resume continues from there.</numerusform>
            <numerusform>%n running trials end after their current step. What is done stays, and Resume continues from there.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::TpuView</name>
    <message numerus="yes">
        <source>%n pod(s), tp %1</source>
        <translation>
            <numerusform>%n pod, tp %1</numerusform>
            <numerusform>%n pods, tp %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::WhatIfView</name>
    <message numerus="yes">
        <source>%n field(s) differ</source>
        <translation>
            <numerusform>%n field differs</numerusform>
            <numerusform>%n fields differ</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::WhereForm</name>
    <message numerus="yes">
        <source>This computer, %n rank(s)</source>
        <translation>
            <numerusform>This computer, %n rank</numerusform>
            <numerusform>This computer, %n ranks</numerusform>
        </translation>
    </message>
</context>
</TS>
