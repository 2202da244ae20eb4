// SPDX-License-Identifier: MIT
// What the subcommands of `meniscus` share: the table of commands, options, messages and exit statuses.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <meniscus/base.h>

// --- exit statuses, as promised to scripts

enum {
    STATUS_DONE = 0,
    STATUS_INVALID = 1,      // the simulation became invalid
    STATUS_USAGE = 2,        // bad usage or bad input
    STATUS_IO = 3,           // reading or writing failed
    STATUS_INTERRUPTED = 130 // by SIGINT or SIGTERM
};

// --- commands: one function in one file each; argv[0] is the command's name; returns the exit status

typedef struct Command {
    const char* name;
    int (*run)(int argc, char** argv);
    const char* summary; // a line of `meniscus help`
} Command;

extern const Command commands[];
extern const size_t command_count;

int command_run(int argc, char** argv);
int command_check(int argc, char** argv);
int command_info(int argc, char** argv);
int command_sample(int argc, char** argv);
int command_surface(int argc, char** argv);
int command_foam(int argc, char** argv);
int command_render(int argc, char** argv);
int command_view(int argc, char** argv);
int command_plot(int argc, char** argv);
int command_convert(int argc, char** argv);
int command_bench(int argc, char** argv);
int command_help(int argc, char** argv);

const Command* command_find(const char* name); // NULL: no such command

// --- options

// Repeated values of one option, in order.
typedef struct TextList {
    const char* const* item; // owned by options_parse's caller through text_list_free
    size_t count;
} TextList;
void text_list_free(TextList* list);

typedef enum OptionType {
    OPTION_FLAG,    // bool: true when given
    OPTION_TEXT,    // const char*: points into argv
    OPTION_NUMBER,  // double, finite
    OPTION_INTEGER, // int
    OPTION_LIST,    // TextList: may be given many times
} OptionType;

typedef struct Option {
    const char* name; // without dashes: "out"
    char letter;      // 'o' also allows -o; 0 = none
    OptionType type;
    void* target;      // by type, see above; keeps its value when the option is not given
    const char* value; // what help calls the value: "DIR"; NULL for flags
    const char* help;  // one line
} Option;

typedef struct Syntax {
    const char* command;   // "sample"
    const char* arguments; // "MESH"
    const char* about;     // a sentence or a few lines under the usage line
    const Option* options;
    size_t option_count;
    size_t arguments_min, arguments_max; // words that are not options
} Syntax;

// Fills the options' targets and `arguments` (room for arguments_max). Options may be written --name value, --name=value
// or -n value; "--" ends them; --help (-h) prints the usage. Returns -1 when the command should go on, or the status to
// leave with (0 after help, 2 after a mistake, which has been explained).
int options_parse(const Syntax* syntax, int argc, char** argv, const char** arguments, size_t* argument_count);

// --- messages

// Prints "meniscus: ..." with newline to standard error and returns `status`.
__attribute__((format(printf, 2, 3))) int complain(int status, const char* format, ...);
// The same for an error of the library; returns the exit status that belongs to it.
int complain_error(const mn_Error* error);
int status_of(mn_Result result);

// Names come from files, and a terminal obeys control characters: each becomes a question mark. Returns `text`.
char* text_printable(char* text);

// "1 234 567", "12.3 MB", "1:02:03": short texts for people. Each returns `buffer`.
const char* text_count(uint64_t count, char buffer[32]);
const char* text_bytes(double bytes, char buffer[32]);
const char* text_seconds(double seconds, char buffer[32]);

#endif
