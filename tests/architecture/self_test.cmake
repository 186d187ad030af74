# A small wrong tree: the check must name each fault, and only the faults.   cmake -D WORK=folder -P self_test.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
function(source path)
  list(JOIN ARGN "\n" text)
  file(WRITE ${WORK}/${path} "#pragma once\n${text}\n")
endfunction()
source(core/base/result.h "#include <string>")
source(core/base/version.cpp "#include \"slipway_version.h\"")
source(core/spec/a.h "#include \"core/base/result.h\"" "#include \"core/planner/plan.h\"")
source(core/planner/plan.h "#include \"core/base/missing.h\"" "#include <fmt/format.h>")
source(core/planner/memory/bytes.h "#include \"core/planner/time/step.h\"")
source(core/planner/time/step.h "#include \"core/planner/memory/bytes.h\"" "#include \"core/planner/plan.h\"")
source(core/metrics/series.cpp "#include <QString>" "#include <sqlite3.h>" "#include <simdjson.h>")
source(core/store/db.cpp "#include <SQLiteCpp/SQLiteCpp.h>" "#include <curl/curl.h>" "#include <nlohmann/json.hpp>")
source(core/store/row.h "#include <nlohmann/json.hpp>" "#include <nlohmann/json_fwd.hpp>")
source(app/cli/main.cpp "#include \"app/gui/page.h\"" "#include <ATen/core/Tensor.h>" "int n = std::system(text);"
  "out << printable(run.name) << f(run.name) << run.numSteps << run.id.value;" "out << run->reason;")
source(app/cli/runs.cpp "err << \"x\" << events.error().text() << 1;")
source(app/gui/page.h "#include <QLineSeries>" "#include <QWidget>" "label->setTextFormat(Qt::RichText);")
source(app/gui/pages/runs_page.cpp "label->setTextFormat(Qt::RichText);" "auto text = QString::fromStdString(name);")
source(app/gui/text/format.cpp "auto text = QString::fromStdString(name);" "#include \"app/gui/widgets/bar.h\"")
source(app/gui/widgets/bar.h "#include \"app/gui/values/row.h\"" "#include \"app/gui/pages/bar_page.h\"")
source(app/gui/pages/bar_page.h "#include \"app/gui/widgets/bar.h\"" "#include \"app/gui/main_window.h\"")
source(app/gui/values/row.h "#include \"app/gui/engine/engine.h\"")
source(app/gui/engine/engine.h "#include \"app/gui/values/row.h\"")
source(app/gui/main_window.h "#include \"app/gui/pages/bar_page.h\"")
source(app/gui/widgets/metric_chart.cpp "#include <QtCharts/QChart>" "#include <QLineSeries>")
source(trainer/comm/group.cpp "#include <torch/csrc/distributed/c10d/Store.hpp>" "#include \"trainer/model/block.h\"")
source(trainer/model/block.h "#include \"trainer/comm/group.cpp\"" "#include <torch/torch.h>")
source(tools/x.cpp "")
source(core/base/cited.h "// docs/format.md, format.md, nccl-tests doc/PERFORMANCE.md" "// By planner.md 2.4." "int n;  // anchors/x")
file(WRITE ${WORK}/docs/format.md "Format\n")
file(WRITE ${WORK}/core/base/open.h "int x")
string(REPEAT "\n" 501 lines)
file(WRITE ${WORK}/core/base/long.cpp "${lines}")
string(REPEAT "- changed\n" 15 lines)
file(WRITE ${WORK}/CHANGELOG.md "## 0.2.0 (2026-11-21)\n${lines}- [one](docs) more; \n## 0.1.0 (2026-11-20)\n${lines}")

execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check.cmake
  RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_QUIET)
set(expected
  "core/spec/a.h: core/spec may not include core/planner/plan.h"
  "core/planner/plan.h: core/base/missing.h does not exist"
  "core/planner/plan.h: no fmt in a header"
  "core/planner/memory/bytes.h: core/planner/memory may not include core/planner/time/step.h"
  "core/planner/time/step.h: core/planner/time may not include core/planner/plan.h"
  "core/metrics/series.cpp: no Qt here"
  "core/metrics/series.cpp: no SQLite here"
  "core/store/db.cpp: no curl here"
  "core/store/row.h: no nlohmann/json.hpp"
  "app/cli/main.cpp: app/cli may not include app/gui/page.h"
  "app/cli/main.cpp: no torch here"
  "app/cli/main.cpp: starts a shell"
  "app/cli/main.cpp: prints a text as it is"
  "app/cli/runs.cpp: prints a text as it is"
  "app/gui/page.h: no Qt Charts here"
  "app/gui/page.h: shows markup"
  "app/gui/pages/runs_page.cpp: text of core without qs()"
  "app/gui/text/format.cpp: app/gui/text may not include app/gui/widgets/bar.h"
  "app/gui/widgets/bar.h: app/gui/widgets may not include app/gui/pages/bar_page.h"
  "app/gui/pages/bar_page.h: app/gui/pages may not include app/gui/main_window.h"
  "app/gui/values/row.h: app/gui/values may not include app/gui/engine/engine.h"
  "trainer/comm/group.cpp: trainer/comm may not include trainer/model/block.h"
  "trainer/model/block.h: no torch/torch.h"
  "core/base/cited.h: cites planner.md, which is not in the repository"
  "core/base/cited.h: cites anchors/, which is not in the repository"
  "core/base/open.h: no #pragma once"
  "core/base/open.h: does not end with a newline"
  "core/base/long.cpp: 501 lines"
  "CHANGELOG.md: more than 15 lines about 0.2.0")
list(LENGTH expected number)
foreach(text IN LISTS expected)
  string(FIND "${said}" "${text}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "not found by the check: ${text}")
  endif()
endforeach()
if(result EQUAL 0 OR NOT said MATCHES "${number} findings")
  message(SEND_ERROR "expected ${number} findings, the check said:\n${said}")
endif()

# A table whose arrows close a circle.
file(READ ${CMAKE_CURRENT_LIST_DIR}/check.cmake table)
string(REPLACE "room(app/gui/text core)" "room(app/gui/text core app/gui/values)" table "${table}")
file(WRITE ${WORK}/check.cmake "${table}")
execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${WORK} -P ${WORK}/check.cmake ERROR_VARIABLE said OUTPUT_QUIET)
if(NOT said MATCHES "app/gui/text may not include app/gui/values, which[ \n]+has no row above it")
  message(SEND_ERROR "a circle in the table was not found, the check said:\n${said}")
endif()
file(REMOVE_RECURSE ${WORK})
