#include "app/gui/pages/why_pane.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/search_pictures.h"
#include "app/gui/widgets/issue_list.h"

#include <QLineEdit>

namespace slipway::gui {

WhyPane::WhyPane(SearchController& search, QWidget* parent) : WhyPane(search, new IssueList, parent) {}

WhyPane::WhyPane(SearchController& search, IssueList* answer, QWidget* parent)
    : Pane(tr("Why not this layout?"), answer, parent), m_search(search), m_answer(answer) {
    m_answer->setObjectName(QStringLiteral("whyAnswer"));
    m_answer->setFixedHeight(px(120));
    m_answer->hide();
    m_line = new QLineEdit(this);
    m_line->setObjectName(QStringLiteral("why"));
    m_line->setMinimumWidth(px(300));
    m_line->setPlaceholderText(tr("tp=8,pp=4,zero_stage=1 or config"));
    m_line->setAccessibleName(tr("Layout to explain"));
    m_line->setToolTip(tr("Axes that differ from the plan; config is the plan itself."));
    auto* ask = new QPushButton(tr("Explain"), this);
    ask->setObjectName(QStringLiteral("askWhy"));
    addControl(m_line);
    addControl(ask);
    const auto go = [this] {
        if (!m_line->text().trimmed().isEmpty()) m_search.askWhy(m_line->text());
    };
    connect(m_line, &QLineEdit::returnPressed, this, go);
    connect(ask, &QPushButton::clicked, this, go);
    connect(&m_search, &SearchController::whyAnswered, this, &WhyPane::showAnswer);
    showAnswer();
}

void WhyPane::find() {
    m_line->setFocus();
    m_line->selectAll();
}

void WhyPane::showAnswer() {
    if (!m_search.whyProblem().isEmpty()) {
        m_answer->setRows({{Icon::Error, theme().bad, {}, m_search.whyProblem(), {}, {}}});
        m_answer->show();
        emit answered();
        return;
    }
    if (!m_search.why()) {
        m_answer->hide();
        return;
    }
    const WhyAnswer& answer = *m_search.why();
    const Theme& t = theme();
    std::vector<IssueRow> rows;
    const bool good = answer.explanation.legal && answer.explanation.fits;
    const QStringList sentences = whySentences(answer);
    for (qsizetype i = 0; i < sentences.size(); ++i) {
        const bool verdict = i == 0;
        rows.push_back({!verdict ? Icon::Info
                        : good   ? Icon::Good
                                 : Icon::Error,
                        !verdict ? t.idle
                        : good   ? t.ok
                                 : t.bad,
                        {},
                        verdict ? answer.asked + QStringLiteral(": ") + sentences[i] : sentences[i],
                        {},
                        {}});
    }
    m_answer->setRows(rows);
    m_answer->show();
    emit answered();
}

}  // namespace slipway::gui
