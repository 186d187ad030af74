// The tab Devices: all devices with their figures, each with its source; prices of vendors. Figures can be changed and prices added: they
// are stored in the home's devices.json, which the commands and the planner also read, and are marked as the user's.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/tool_view.h"
#include "core/planner/user_hardware.h"

#include <filesystem>
#include <functional>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace slipway::gui {

class Pane;
class SpecForm;

class DevicesView : public ToolView {
    Q_OBJECT

public:
    /// @param file the user's devices.json
    DevicesView(std::filesystem::path file, std::function<PlanDocument()> basePlan, QWidget* parent);

    [[nodiscard]] QString title() const override { return tr("Devices and prices"); }
    [[nodiscard]] QString sideText() const override;
    [[nodiscard]] QString primaryText() const override { return tr("Plan on this device"); }
    [[nodiscard]] bool canPrimary() const override { return !m_chosen.empty(); }
    void primary() override;
    [[nodiscard]] QString tableText() const override;
    void find() override;

signals:
    /// devicePresets() has changed.
    void hardwareChanged();

private:
    struct FigureRow {
        QString name, value, source;
        bool isUsers = false;
    };
    QWidget* makeLists();
    QWidget* makeDetail();
    void load();
    void showDevices();
    void showChosen();
    void showPrices();
    void edited(const QString& path, const QString& text);
    void restore();
    void addPrice();
    void removePrice();
    /// Writes and applies the file; on a write error it reports that and changes nothing.
    bool keep(const UserHardware& next);

    std::filesystem::path m_file;
    std::function<PlanDocument()> m_basePlan;
    UserHardware m_own;
    std::string m_chosen;  ///< name of a device
    QLineEdit* m_filter;
    RowsModel<ClusterSpec>* m_devices;
    QTableView* m_deviceTable;
    RowsModel<ListedPrice>* m_prices;
    QTableView* m_priceTable;
    Pane* m_detailPane;
    SpecForm* m_form;
    RowsModel<FigureRow>* m_figures;
    QTableView* m_figureTable;
    QPushButton* m_restore;
    QPushButton* m_removePrice;
    QLineEdit* m_offer;
    QLineEdit* m_price;
    QLineEdit* m_currency;
    QLineEdit* m_source;
    QLabel* m_problem;
};

}  // namespace slipway::gui
