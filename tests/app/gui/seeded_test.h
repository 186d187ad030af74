// Runs in a store of their own and a context over them: what the tests of the Run and Compare pages start from.
//   class TstRunPage : public test::SeededTest { Q_OBJECT ... void initTestCase() { seed(6); } ... m_ids[4] ... };
#pragma once

#include "app/gui/engine/context.h"
#include "tests/support/seed_store.h"

#include <QObject>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <vector>

namespace slipway::test {

class SeededTest : public QObject {
protected:
    void seed(int numRuns, const std::optional<ClusterSpec>& cluster = {}) {
        m_home = Home{m_dir.path().toStdString()};
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        QVERIFY2(store, store ? "" : store.error().message.c_str());
        SeedOptions options;
        options.numRuns = numRuns;
        options.cluster = cluster;
        m_ids = seedRuns(*store, options);
        QCOMPARE(m_ids.size(), static_cast<std::size_t>(numRuns));
        m_settings = std::make_unique<gui::Settings>(m_dir.filePath("settings.ini"));
        m_engine = std::make_unique<gui::Engine>(m_home, Programs::find());
        m_context = std::make_unique<gui::Context>(gui::Context{*m_engine, *m_settings});
    }

    QTemporaryDir m_dir;
    Home m_home;
    std::vector<RunId> m_ids;
    std::unique_ptr<gui::Settings> m_settings;
    std::unique_ptr<gui::Engine> m_engine;  // not started: the tests are the only writers
    std::unique_ptr<gui::Context> m_context;
};

}  // namespace slipway::test
