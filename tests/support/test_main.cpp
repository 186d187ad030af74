#include "tests/support/slipway_test.h"

#ifdef SLIPWAY_GUI_TESTS
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif

#include <sys/resource.h>

#include <QStringList>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace slipway::test {
namespace {
struct Entry {
    std::string name;
    std::function<QObject*()> make;
};
std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}
}  // namespace

bool registerTest(const char* name, std::function<QObject*()> make) {
    entries().push_back({name, std::move(make)});
    return true;
}
}  // namespace slipway::test

/// CPU seconds of this process and of its ended children, for packaging/setup/check_budget.sh.
static double cpuSeconds() {
    double seconds = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(who, &used);
        seconds += static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return seconds;
}

int main(int argc, char** argv) {
    Application app(argc, argv);
    QStringList arguments = Application::arguments();
    QString only;
    if (arguments.size() > 1 && !arguments[1].startsWith('-')) only = arguments.takeAt(1);
    int failed = 0;
    int ran = 0;
    for (const auto& entry : slipway::test::entries()) {
        if (!only.isEmpty() && only != QString::fromStdString(entry.name)) continue;
        const std::unique_ptr<QObject> test(entry.make());
        failed += QTest::qExec(test.get(), arguments) != 0 ? 1 : 0;
        ++ran;
    }
    std::printf("CPU    : %.2f s\n", cpuSeconds());
    if (ran == 0) {
        std::fprintf(stderr, "no test class named %s\n", qPrintable(only));
        return 2;
    }
    return failed == 0 ? 0 : 1;
}
