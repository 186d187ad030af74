// The Plan page over a home of its own: what the tests of its tabs start from.
//   class TstSearchView : public test::PlanTabTest { Q_OBJECT ... QVERIFY(openPage());
//   child<QPushButton>("search")->click();
#pragma once

#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_page.h"
#include "tests/app/gui/gui_fixture.h"

#include <QObject>
#include <memory>

namespace slipway::test {

class PlanTabTest : public QObject {
protected:
    /// @param numRuns in the store
    bool openPage(int numRuns = 0) {
        m_home = std::make_unique<GuiHome>(numRuns);
        if (!m_home->start()) return false;
        m_plan = std::make_unique<gui::PlanController>(*m_home->context);
        m_page = std::make_unique<gui::PlanPage>(*m_home->context, *m_plan, nullptr);
        m_page->resize(1268, 820);
        m_page->show();
        return true;
    }
    void closePage() {
        m_page.reset();
        m_plan.reset();
        m_home.reset();
        gui::dialogAnswers() = {};
        gui::closeThreadStore();
    }
    template <class T>
    T* child(const char* name) {
        return m_page->findChild<T*>(QString::fromLatin1(name));
    }

    std::unique_ptr<GuiHome> m_home;
    std::unique_ptr<gui::PlanController> m_plan;
    std::unique_ptr<gui::PlanPage> m_page;
};

}  // namespace slipway::test
