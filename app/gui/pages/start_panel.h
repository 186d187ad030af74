// Contents of the Runs page before the first run: possible actions, and this computer's facts.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"

#include <QWidget>

class QVBoxLayout;

namespace slipway::gui {

class StartPanel : public QWidget {
    Q_OBJECT

public:
    StartPanel(Context& context, QWidget* parent);

signals:
    void planWanted();
    void tinyWanted();
    void importWanted();
    void reindexWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Fact {
        QString name, value;
        int state;  ///< 0 OK, 1 information, 2 missing
    };
    void check();
    void showFacts(const std::vector<Fact>& facts);
    void addAction(QVBoxLayout* column, const QString& title, const QString& what, const QString& button,
                   void (StartPanel::*wanted)());

    Context& m_context;
    LatestJob m_job;
    QVBoxLayout* m_facts;
    QWidget* m_factsHolder;
};

}  // namespace slipway::gui
