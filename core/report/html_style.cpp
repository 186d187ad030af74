#include "core/report/html_style.h"

namespace slipway {

const char* const kReportStyle = R"css(
:root { color-scheme: light dark;
  --window: #F3F4F6; --panel: #FFFFFF; --sunken: #EAECEF; --line: #DADDE2; --grid: #E6E9ED; --line2: #838A94;
  --text: #1A1E24; --text2: #525A65; --text3: #5F6772; --accent: #17598F;
  --ok: #17703A; --warn: #8A5A00; --bad: #B3261E; --idle: #5E6670; --warnbg: #FFF6E0; --badbg: #FDECEA;
  --c0: #124F8C; --c1: #E46413; --c2: #1F7E72; --c3: #860659; --c4: #1F91DB; --c5: #7544D2; --c6: #6C500D; --c7: #361C15; --on: #FFFFFF; }
@media (prefers-color-scheme: dark) { :root {
  --window: #1A1D20; --panel: #22262A; --sunken: #15171A; --line: #343A41; --grid: #2E3339; --line2: #7A838E;
  --text: #E7EAED; --text2: #AAB2BC; --text3: #A0A9B4; --accent: #8AB8F5;
  --ok: #6CC98A; --warn: #E5B454; --bad: #FF8A80; --idle: #A0A9B4; --warnbg: #3A3016; --badbg: #43211F;
  --c0: #5578EA; --c1: #E99014; --c2: #2FD8A4; --c3: #E45196; --c4: #BCE7F9; --c5: #C598F5; --c6: #F5DB34; --c7: #B75710; --on: #14181D; } }
@media print { :root { color-scheme: light;
  --window: #FFFFFF; --panel: #FFFFFF; --sunken: #EAECEF; --line: #DADDE2; --grid: #E6E9ED; --line2: #838A94;
  --text: #1A1E24; --text2: #525A65; --text3: #5F6772; --accent: #17598F;
  --ok: #17703A; --warn: #8A5A00; --bad: #B3261E; --idle: #5E6670; --warnbg: #FFFFFF; --badbg: #FFFFFF;
  --c0: #124F8C; --c1: #E46413; --c2: #1F7E72; --c3: #860659; --c4: #1F91DB; --c5: #7544D2; --c6: #6C500D; --c7: #361C15; --on: #FFFFFF; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--window); color: var(--text); font: 14px/1.45 system-ui, "Noto Sans", "Noto Sans CJK KR", sans-serif;
  font-variant-numeric: tabular-nums; }
main { max-width: 1360px; margin: 0 auto; background: var(--panel); border-left: 1px solid var(--line); border-right: 1px solid var(--line); min-height: 100vh; }
header { padding: 20px 24px 14px; border-bottom: 1px solid var(--line); }
h1 { font-size: 21px; font-weight: 600; margin: 0; }
header p { margin: 4px 0 0; color: var(--text2); } header p.question { color: var(--text); font-style: italic; }
:lang(ko) header p.question { font-style: normal; }
section { padding: 16px 24px 18px; border-bottom: 1px solid var(--line); }
h2 { font-size: 17px; font-weight: 600; margin: 0 0 8px; }
h3 { font-size: 14px; font-weight: 600; margin: 0; }
dl + h3, p + h3, .scroll + h3 { margin-top: 18px; }
h3 .unit { font-weight: 400; color: var(--text2); margin-left: 6px; }
p { margin: 8px 0; max-width: 86ch; }
p.lead { font-size: 16px; line-height: 1.5; }
.scroll { overflow-x: auto; margin: 8px -24px 0; padding: 0 24px; } .scroll + .scroll { margin-top: 14px; }
table { border-collapse: collapse; font-size: 12.5px; width: 100%; }
th { font-weight: 400; color: var(--text2); text-align: left; padding: 3px 7px; vertical-align: bottom; white-space: nowrap; }
thead tr:last-child th { border-bottom: 1px solid var(--line2); }
th.group { text-align: center; color: var(--text); border-bottom: 1px solid var(--line); }
th .unit { display: block; color: var(--text3); font-size: 12px; }
td { padding: 4px 7px; border-bottom: 1px solid var(--grid); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
td:first-child, th:first-child { padding-left: 0; }
td:first-child { min-width: 90px; max-width: 230px; } td { overflow-wrap: anywhere; } :lang(ko) td, :lang(ko) p { word-break: keep-all; }
.good { color: var(--ok); } .warn { color: var(--warn); } .bad { color: var(--bad); } .quiet { color: var(--text3); }
td .note { display: block; color: var(--text3); font-size: 11px; white-space: nowrap; }
.caption { color: var(--text2); font-size: 12.5px; margin: 6px 0 0; max-width: 110ch; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); gap: 22px 32px; margin-top: 10px; }
figure.wide { grid-column: 1 / -1; } figure.wide svg { max-width: 1180px; }
figure { margin: 0; break-inside: avoid; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 640px; margin-top: 6px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 4px 0 0; padding: 0; list-style: none; color: var(--text2); font-size: 12.5px; }
.legend svg { display: inline-block; width: 26px; height: 12px; vertical-align: -1px; margin: 0 5px 0 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 8px 0 0; font-size: 13px; }
dt { color: var(--text2); } dd { margin: 0; overflow-wrap: anywhere; }
footer { padding: 12px 24px 24px; color: var(--text2); font-size: 12.5px; }
svg text { font: 12px system-ui, "Noto Sans", "Noto Sans CJK KR", sans-serif; fill: var(--text); font-variant-numeric: tabular-nums; }
svg text.tick { fill: var(--text2); font-size: 11.5px; } svg text.quiet { fill: var(--text3); } svg text.bad { fill: var(--bad); }
svg text.letter { font-weight: 600; }
.grid { stroke: var(--grid); stroke-width: 1; } .axis { stroke: var(--line2); stroke-width: 1; }
.bar { fill: var(--c0); }
.mark { stroke: var(--c1); stroke-width: 2.5; } .mark.m1 { stroke: var(--c2); stroke-dasharray: 3 2; } .mark.m2 { stroke: var(--c3); }
.interval { stroke: var(--c1); stroke-width: 1.2; } .tickmark { stroke: var(--text); stroke-width: 2.5; }
.reference { stroke: var(--text2); stroke-width: 1.2; stroke-dasharray: 6 4; }
.sunken { fill: var(--sunken); } .area { fill: var(--c0); fill-opacity: .12; } .edge { fill: none; stroke: var(--line2); stroke-width: 1; }
svg text.on { fill: var(--on); } .good-mark { fill: var(--ok); } .bad-mark { fill: var(--bad); }
.curve { fill: none; stroke-width: 1.7; stroke-linejoin: round; } .nonfinite { fill: var(--bad); }
.d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 3; } .d3 { stroke-dasharray: 7 3 2 3; } .d4 { stroke-dasharray: 10 4; }
.cell { stroke: var(--panel); stroke-width: 2; }
.h0 { fill: #E3EDF6; } .h1 { fill: #C3D9EC; } .h2 { fill: #97BFDF; } .h3 { fill: #4D8BBF; } .h4 { fill: #2A6CA8; } .h5 { fill: #124F8C; }
svg text.ink { fill: #1A1E24; } svg text.paper { fill: #FFFFFF; } svg text.small { font-size: 10.5px; }
.hole { fill: var(--sunken); stroke: var(--line2); stroke-dasharray: 3 3; } .broken { fill: var(--badbg); stroke: var(--bad); stroke-dasharray: 3 3; }
.c0 { fill: var(--c0); } .c1 { fill: var(--c1); } .c2 { fill: var(--c2); } .c3 { fill: var(--c3); }
.c4 { fill: var(--c4); } .c5 { fill: var(--c5); } .c6 { fill: var(--c6); } .c7 { fill: var(--c7); }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); } .s3 { stroke: var(--c3); }
.s4 { stroke: var(--c4); } .s5 { stroke: var(--c5); } .s6 { stroke: var(--c6); } .s7 { stroke: var(--c7); }
svg text.t0 { fill: var(--c0); } svg text.t1 { fill: var(--c1); } svg text.t2 { fill: var(--c2); } svg text.t3 { fill: var(--c3); }
svg text.t4 { fill: var(--c4); } svg text.t5 { fill: var(--c5); } svg text.t6 { fill: var(--c6); } svg text.t7 { fill: var(--c7); }
@page { size: A4 landscape; margin: 12mm; }
@media print { main { border: 0; max-width: none; } section { padding: 10px 0; break-inside: auto; } header { padding: 0 0 8px; }
  .scroll { overflow: visible; margin: 0; padding: 0; } table { font-size: 10.5px; } td, th { padding: 2px 5px; } tr { break-inside: avoid; }
  thead { display: table-header-group; } .figures { grid-template-columns: 1fr 1fr; gap: 14px 20px; } h2 { break-after: avoid; } section:has(> h2 + .figures) { break-inside: avoid; } body { font-size: 12px; } }
)css";

}  // namespace slipway
