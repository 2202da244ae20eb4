// SPDX-License-Identifier: MIT
// The window's state: what is shown, what the mouse does, what is recorded. One struct, since keys, panel and mouse change the same
// things; each file of it has one job.
#ifndef VIEWER_VIEWER_H
#define VIEWER_VIEWER_H

#include "backend.h"
#include "drawing.h"
#include "live.h"
#include "render/film.h"
#include "script.h"
#include "thumbs.h"
#include "ui.h"
#include "view_options.h"

typedef enum Tool { TOOL_LOOK, TOOL_DRAG, TOOL_POUR, TOOL_PUSH, TOOL_THROW, TOOL_SHAKE, TOOLS } Tool;
extern const char* const tool_names[TOOLS];

enum { CURVE = 300, CURVES = 3 + SHOT_PROBES };

// Running plots: values of the last shots, oldest first.
typedef struct Curves {
    size_t count;
    double time[CURVE];         // [s]
    float value[CURVES][CURVE]; // kinetic, potential energy, pictures per second, probes
} Curves;

// Numbers that the panel changes and hands use.
typedef struct Hand {
    Tool tool;
    bool holds;      // the left button acts on the world
    uint64_t misses; // of the simulation when it was pressed
    double x, y;     // [pixels] of the pointer
    double density;  // [kg/m3] of what is thrown
    int shape;       // 0 ball, 1 box
    double size;     // [share of the scene]
    double strength; // [1] of pushing; below 0: sucking
    double rate;     // [1] of pouring
} Hand;

typedef struct Viewer {
    const ViewOptions* options;
    Window* window;
    Sim* sim;
    Plan plan;
    BackEnd* back;
    Drawing* drawing;
    Font font;
    Ui ui;
    UiInput input;

    // what is shown
    const Setting* setting;
    Shot* shot;
    uint64_t shown_number;
    SimStatus status;
    Orbit orbit;
    Camera camera;
    Look look;
    int width, height, scene_width; // [pixels] of the window, and what the panel leaves
    bool stale;                     // the scene must be drawn again
    bool panel, info, help, list;
    bool open[8];               // sections of the panel
    double scroll, list_scroll; // [pixels]
    int panel_height;           // [pixels] that its rows take
    Curves curves;

    // what the mouse does
    Hand hand;
    int drag_button;
    double last_x, last_y;

    // numbers that the panel changes
    double scale; // simulated seconds per second at most
    double gravity;
    int method, coupling;
    bool live;
    double viscosity, tension, fluid_density, body_density, young;
    double scrub; // [s] asked for last
    bool scrubs;  // the mouse holds the timeline

    // messages, files
    char message[256];
    double message_until;
    uint64_t seen_failures, seen_messages;
    Film* film;
    char film_path[512];
    double film_clock, film_time; // [s]
    int64_t film_frames;
    char (*scenes)[512];
    size_t scene_count, scene_at; // the one that keys have chosen
    int scene_columns;            // of the list, as it was drawn last
    bool list_follows;            // the list scrolls to it
    char framed[PLAN_PATH];       // the scene that the view was made for
    Thumbs* thumbs;               // pictures of them; NULL: not asked for yet

    Script script;
    int64_t frames; // shown since the first picture
    double first_clock, first_time, last_shown, draw_seconds, panel_seconds, fps;
    double drawn_seconds, worst_latency, latencies; // [s] sums and worst for the report
    double begun, opened, first_seen;               // [s] wall clock; since then: the first picture, the first of the scene
    int64_t drawn, inputs;
    int slow;           // pictures in a row that took too long, or below 0 not half as long
    int64_t detail_for; // pictures drawn when detail was chosen last, and what the simulation did
    SimState detail_state;
    uint64_t first_step; // taken when the first picture was there, and when it had ended
    double first_stepped_at;
    double input_clock; // when the oldest input came that is not shown yet; 0: none
    double drawn_at;    // wall clock when the last picture of the scene began
    bool touched;       // something was done since the last picture
    bool quit;
    int exit_status;
} Viewer;

// --- acts.c: all that keys and buttons do, by name

typedef enum Act {
    ACT_PAUSE,
    ACT_STEP,
    ACT_RESET,
    ACT_BACK,
    ACT_AHEAD,
    ACT_SLOWER,
    ACT_FASTER,
    ACT_METHOD,
    ACT_COUPLING,
    ACT_LIVE,
    ACT_LOOK,
    ACT_DRAG,
    ACT_POUR,
    ACT_PUSH,
    ACT_THROW,
    ACT_SHAKE,
    ACT_LIGHTER,
    ACT_HEAVIER,
    ACT_THINNER,
    ACT_THICKER,
    ACT_LESS_TENSION,
    ACT_MORE_TENSION,
    ACT_LIGHTER_FLUID,
    ACT_HEAVIER_FLUID,
    ACT_LIGHTER_BODIES,
    ACT_HEAVIER_BODIES,
    ACT_SOFTER,
    ACT_STIFFER,
    ACT_LESS_HAND,
    ACT_MORE_HAND,
    ACT_SHAPE,
    ACT_LIGHTER_THROWN,
    ACT_HEAVIER_THROWN,
    ACT_STYLE,
    ACT_COLOUR,
    ACT_MAP,
    ACT_LESS_RANGE,
    ACT_MORE_RANGE,
    ACT_LOWER_RANGE,
    ACT_HIGHER_RANGE,
    ACT_SOLIDS,
    ACT_CUT_BACK,
    ACT_CUT_ON,
    ACT_BOUNDARY,
    ACT_FINE,
    ACT_FRAME,
    ACT_GROUND,
    ACT_JOINTS,
    ACT_NEARER,
    ACT_FARTHER,
    ACT_TURN_LEFT,
    ACT_TURN_RIGHT,
    ACT_TURN_UP,
    ACT_TURN_DOWN,
    ACT_MOVE_LEFT,
    ACT_MOVE_RIGHT,
    ACT_MOVE_UP,
    ACT_MOVE_DOWN,
    ACT_SCREENSHOT,
    ACT_RECORD,
    ACT_SAVE,
    ACT_CHECKPOINT,
    ACT_COPY,
    ACT_SCENES,
    ACT_PANEL,
    ACT_INFO,
    ACT_HELP,
    ACT_QUIT,
    ACTS
} Act;

typedef struct ActInfo {
    const char *key, *other_key; // names of keys, "shift " or "ctrl " before them; NULL: none
    const char* text;
} ActInfo;
extern const ActInfo act_info[ACTS];

void viewer_do(Viewer* v, Act act);
void viewer_key(Viewer* v, const WindowEvent* event);
__attribute__((format(printf, 2, 3))) void viewer_say(Viewer* v, const char* format, ...);
void viewer_wish(Viewer* v);                              // tells the simulation what shots should hold
void viewer_restart(Viewer* v);                           // with the plan as it is
void viewer_range(Viewer* v);                             // the scene's colour scale
void viewer_gravity(Viewer* v);                           // tells the world the panel's
void viewer_number(Viewer* v, LiveDo what, double value); // the same for viscosity and the like
void viewer_open(Viewer* v, size_t scene);                // of the list
// What shows the same again: of the scene, or if hands changed it of `saved`, the scene as it was recorded.
void command_line(const Viewer* v, const char* saved, char* out, size_t size);

// --- methods.c
enum { METHODS = 6, COUPLINGS = 5 };
extern const char* const method_names[METHODS];
extern const char* const coupling_names[COUPLINGS];
void plan_methods(Viewer* v); // overrides of the plan: options, methods chosen in the window

// --- mouse.c
void viewer_mouse(Viewer* v, const WindowEvent* event);

// --- panel.c, overlay.c; widths: pixels that are covered
int panel_width(const Viewer* v);
int overlay_width(const Viewer* v);
Canvas viewer_canvas(const Viewer* v); // the picture and what is covered of it
void panel_draw(Viewer* v);
void overlay_draw(Viewer* v);
void overlay_boxes(Viewer* v);                             // the list of scenes and help, over the panel too
bool failure_place(const Viewer* v, double* x, double* y); // [pixels] where a failure says that it happened; false: it does not
bool timeline_hit(const Viewer* v, double x, double y, double* time);

// --- files.c
void files_screenshot(Viewer* v, const char* path); // NULL: a name of its own
void files_record(Viewer* v, const char* path);     // begins or, if it records, ends
void files_film(Viewer* v);                         // adds the picture as often as it is due
void files_end(Viewer* v);
void files_list(Viewer* v);                          // fills scenes
void files_save(Viewer* v, char* path, size_t size); // `path` gets its name
void files_checkpoint(Viewer* v);

int viewer_run(const ViewOptions* options);

#endif
