// SPDX-License-Identifier: MIT
#include "render_live.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

struct RenderLive {
    RenderJob job;
    const char* out;
    Film* film; // NULL: pictures
};

RenderLive* render_live_open(const char* out, bool is_final, int threads, const mn_Scene* scene, mn_World* world, mn_Error* error)
{
    RenderLive* live = calloc(1, sizeof *live);
    if (!live) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory");
        return NULL;
    }
    RenderJob* job = &live->job;
    size_t length = strlen(out);
    bool is_film = length > 4 && !strcmp(out + length - 4, ".mp4");
    live->out = out;
    mn_Result result = subject_open_world(&job->subject, scene, world, error);
    job->view = scene->view;
    job->is_final = is_final;
    job->final = final_default_options();
    job->threads = threads;
    job->samples = 2;
    if (is_film) { // x264 wants even sizes
        job->view.width += job->view.width % 2;
        job->view.height += job->view.height % 2;
    }
    if (result == MN_OK && job->view.boundary)
        result = subject_show_boundary(&job->subject, error);
    if (result == MN_OK)
        result = render_job_prepare(job, error);
    if (result == MN_OK && scene->view.range[0] >= scene->view.range[1] && job->view.colour != MN_COLOUR_DENSITY)
        survey_live_range(&job->look.survey, scene, job->view.colour, job->view.range);
    if (result == MN_OK && is_film) {
        live->film = film_open(out, job->view.width, job->view.height, film_rate(scene->frame_rate), error);
        result = live->film ? MN_OK : error->result;
    }
    if (result == MN_OK)
        return live;
    render_job_free(job);
    subject_close(&job->subject);
    free(live);
    return NULL;
}

mn_Result render_live_frame(RenderLive* live, int64_t frame, mn_Error* error)
{
    RenderJob* job = &live->job;
    mn_Result result = subject_look_again(&job->subject, (int)frame, error);
    if (result == MN_OK)
        result = render_job_draw(job, error);
    if (result != MN_OK)
        return result;
    if (live->film)
        return film_add(live->film, &job->picture, error);
    char name[4096];
    if (!picture_name(name, sizeof name, live->out, (int)frame))
        return error_set(error, MN_BAD_INPUT, "--render %s: only %%d or %%06d may stand in the file name, once", live->out);
    return picture_write_png(&job->picture, name, error);
}

mn_Result render_live_close(RenderLive* live, mn_Error* error)
{
    if (!live)
        return MN_OK;
    mn_Result result = live->film ? film_close(live->film, error) : MN_OK;
    render_job_free(&live->job);
    subject_close(&live->job.subject);
    free(live);
    return result;
}
