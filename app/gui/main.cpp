#include "app/gui/application.h"

int main(int argc, char** argv) {
    return slipway::gui::runApplication(argc, argv);
}
