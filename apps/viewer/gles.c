// SPDX-License-Identifier: MIT
#include "gles.h"

#include "base/error.h"
#include <stddef.h>
#include <string.h>

// A function of Gl and the name that drivers know it by.
typedef struct GlName {
    const char* name;
    size_t place;
} GlName;

static const GlName names[] = {
    {"glActiveTexture", offsetof(Gl, ActiveTexture)},
    {"glAttachShader", offsetof(Gl, AttachShader)},
    {"glBindAttribLocation", offsetof(Gl, BindAttribLocation)},
    {"glBindBuffer", offsetof(Gl, BindBuffer)},
    {"glBindFramebuffer", offsetof(Gl, BindFramebuffer)},
    {"glBindTexture", offsetof(Gl, BindTexture)},
    {"glBindVertexArray", offsetof(Gl, BindVertexArray)},
    {"glBlendFunc", offsetof(Gl, BlendFunc)},
    {"glBlitFramebuffer", offsetof(Gl, BlitFramebuffer)},
    {"glBufferData", offsetof(Gl, BufferData)},
    {"glCheckFramebufferStatus", offsetof(Gl, CheckFramebufferStatus)},
    {"glClear", offsetof(Gl, Clear)},
    {"glClearBufferfv", offsetof(Gl, ClearBufferfv)},
    {"glCompileShader", offsetof(Gl, CompileShader)},
    {"glCreateProgram", offsetof(Gl, CreateProgram)},
    {"glCreateShader", offsetof(Gl, CreateShader)},
    {"glDeleteBuffers", offsetof(Gl, DeleteBuffers)},
    {"glDeleteFramebuffers", offsetof(Gl, DeleteFramebuffers)},
    {"glDeleteProgram", offsetof(Gl, DeleteProgram)},
    {"glDeleteShader", offsetof(Gl, DeleteShader)},
    {"glDeleteTextures", offsetof(Gl, DeleteTextures)},
    {"glDeleteVertexArrays", offsetof(Gl, DeleteVertexArrays)},
    {"glDepthFunc", offsetof(Gl, DepthFunc)},
    {"glDisable", offsetof(Gl, Disable)},
    {"glDrawArrays", offsetof(Gl, DrawArrays)},
    {"glDrawArraysInstanced", offsetof(Gl, DrawArraysInstanced)},
    {"glDrawBuffers", offsetof(Gl, DrawBuffers)},
    {"glEnable", offsetof(Gl, Enable)},
    {"glEnableVertexAttribArray", offsetof(Gl, EnableVertexAttribArray)},
    {"glFramebufferTexture2D", offsetof(Gl, FramebufferTexture2D)},
    {"glGenBuffers", offsetof(Gl, GenBuffers)},
    {"glGenFramebuffers", offsetof(Gl, GenFramebuffers)},
    {"glGenTextures", offsetof(Gl, GenTextures)},
    {"glGenVertexArrays", offsetof(Gl, GenVertexArrays)},
    {"glGetError", offsetof(Gl, GetError)},
    {"glGetProgramiv", offsetof(Gl, GetProgramiv)},
    {"glGetProgramInfoLog", offsetof(Gl, GetProgramInfoLog)},
    {"glGetShaderiv", offsetof(Gl, GetShaderiv)},
    {"glGetShaderInfoLog", offsetof(Gl, GetShaderInfoLog)},
    {"glGetString", offsetof(Gl, GetString)},
    {"glGetUniformLocation", offsetof(Gl, GetUniformLocation)},
    {"glLinkProgram", offsetof(Gl, LinkProgram)},
    {"glPixelStorei", offsetof(Gl, PixelStorei)},
    {"glReadPixels", offsetof(Gl, ReadPixels)},
    {"glScissor", offsetof(Gl, Scissor)},
    {"glShaderSource", offsetof(Gl, ShaderSource)},
    {"glTexImage2D", offsetof(Gl, TexImage2D)},
    {"glTexParameteri", offsetof(Gl, TexParameteri)},
    {"glUniform1f", offsetof(Gl, Uniform1f)},
    {"glUniform1i", offsetof(Gl, Uniform1i)},
    {"glUniform2f", offsetof(Gl, Uniform2f)},
    {"glUniform2i", offsetof(Gl, Uniform2i)},
    {"glUniform3f", offsetof(Gl, Uniform3f)},
    {"glUniform4f", offsetof(Gl, Uniform4f)},
    {"glUniformMatrix3fv", offsetof(Gl, UniformMatrix3fv)},
    {"glUseProgram", offsetof(Gl, UseProgram)},
    {"glVertexAttribDivisor", offsetof(Gl, VertexAttribDivisor)},
    {"glVertexAttribPointer", offsetof(Gl, VertexAttribPointer)},
    {"glViewport", offsetof(Gl, Viewport)},
};
_Static_assert(sizeof(Gl) == sizeof names / sizeof *names * sizeof(void*), "every function has its name");

bool gl_load(Gl* gl, void* (*find)(const char* name), mn_Error* error)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        void* function = find(names[k].name);
        if (!function) {
            error_set(error, MN_BAD_INPUT, "the driver of OpenGL ES has no %s", names[k].name);
            return false;
        }
        memcpy((char*)gl + names[k].place, &function, sizeof function);
    }
    return true;
}

bool gl_is_software(const char* renderer)
{
    static const char* const known[] = {"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software", "Microsoft Basic Render"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!renderer || strstr(renderer, known[k]))
            return true;
    return false;
}

// --- programs

static GLuint compile(const Gl* gl, GLenum kind, const char* name, const char* parts, const char* source, mn_Error* error)
{
    const char* const texts[] = {"#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n",
                                 parts, source};
    GLuint shader = gl->CreateShader(kind);
    GLint ok = 0;
    gl->ShaderSource(shader, 3, texts, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok)
        return shader;
    char log[160] = "";
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    error_set(error, MN_BAD_INPUT, "the driver of OpenGL ES refuses the program %s: %s", name, log);
    gl->DeleteShader(shader);
    return 0;
}

GLuint gl_program(const Gl* gl, const char* name, const char* parts, const char* vertex, const char* fragment, mn_Error* error)
{
    static const char* const attributes[] = {"in_0", "in_1", "in_2", "in_3"};
    GLuint v = compile(gl, GL_VERTEX_SHADER, name, parts, vertex, error);
    GLuint f = v ? compile(gl, GL_FRAGMENT_SHADER, name, parts, fragment, error) : 0;
    GLuint program = f ? gl->CreateProgram() : 0;
    GLint ok = 0;
    if (program) {
        gl->AttachShader(program, v);
        gl->AttachShader(program, f);
        for (GLuint k = 0; k < 4; k++)
            gl->BindAttribLocation(program, k, attributes[k]);
        gl->LinkProgram(program);
        gl->GetProgramiv(program, GL_LINK_STATUS, &ok);
    }
    if (program && !ok) {
        char log[160] = "";
        gl->GetProgramInfoLog(program, sizeof log, NULL, log);
        error_set(error, MN_BAD_INPUT, "the driver of OpenGL ES cannot link the program %s: %s", name, log);
        gl->DeleteProgram(program);
        program = 0;
    }
    if (v)
        gl->DeleteShader(v);
    if (f)
        gl->DeleteShader(f);
    return program;
}

void gl_int(const Gl* gl, GLuint program, const char* name, int value)
{
    gl->Uniform1i(gl->GetUniformLocation(program, name), value);
}

void gl_float(const Gl* gl, GLuint program, const char* name, double value)
{
    gl->Uniform1f(gl->GetUniformLocation(program, name), (float)value);
}

void gl_pair(const Gl* gl, GLuint program, const char* name, double x, double y)
{
    gl->Uniform2f(gl->GetUniformLocation(program, name), (float)x, (float)y);
}

void gl_vec3(const Gl* gl, GLuint program, const char* name, Vec3 v)
{
    gl->Uniform3f(gl->GetUniformLocation(program, name), v.x, v.y, v.z);
}

void gl_texture(const Gl* gl, GLuint program, const char* name, int unit, GLuint texture)
{
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl_int(gl, program, name, unit);
}

// --- textures to draw into

// How a driver wants to hear about a sized format when there are no pixels yet.
static void format_of(GLenum sized, GLenum* format, GLenum* type)
{
    bool one = sized == GL_R32F || sized == GL_R16F, two = sized == GL_RG32F;
    *format = sized == GL_DEPTH_COMPONENT32F ? GL_DEPTH_COMPONENT : one ? GL_RED : two ? GL_RG : GL_RGBA;
    *type = sized == GL_RGBA8 ? GL_UNSIGNED_BYTE : sized == GL_RGBA16F || sized == GL_R16F ? GL_HALF_FLOAT : GL_FLOAT;
}

static GLuint make_texture(const Gl* gl, int width, int height, GLenum sized)
{
    GLuint texture;
    GLenum format, type;
    format_of(sized, &format, &type);
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, (GLint)sized, width, height, 0, format, type, NULL);
    GLint filter = sized == GL_RGBA8 ? GL_LINEAR : GL_NEAREST;
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

void target_free(const Gl* gl, Target* t)
{
    if (!t->frame)
        return;
    gl->DeleteFramebuffers(1, &t->frame);
    gl->DeleteTextures(t->count, t->texture);
    if (t->depth)
        gl->DeleteTextures(1, &t->depth);
    *t = (Target){0};
}

bool target_fit(const Gl* gl, Target* t, int width, int height, const GLenum* formats, int count, bool depth)
{
    if (t->frame && t->width == width && t->height == height)
        return true;
    target_free(gl, t);
    *t = (Target){.width = width, .height = height, .count = count};
    gl->GenFramebuffers(1, &t->frame);
    gl->BindFramebuffer(GL_FRAMEBUFFER, t->frame);
    GLenum buffers[TARGET_MOST];
    for (int k = 0; k < count; k++) {
        t->texture[k] = make_texture(gl, width, height, formats[k]);
        buffers[k] = GL_COLOR_ATTACHMENT0 + (GLenum)k;
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, buffers[k], GL_TEXTURE_2D, t->texture[k], 0);
    }
    if (depth) {
        t->depth = make_texture(gl, width, height, GL_DEPTH_COMPONENT32F);
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->depth, 0);
    }
    gl->DrawBuffers(count, buffers);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

void target_use(const Gl* gl, const Target* t)
{
    gl->BindFramebuffer(GL_FRAMEBUFFER, t->frame);
    gl->Viewport(0, 0, t->width, t->height);
}

void gl_upload(const Gl* gl, GLuint* texture, int width, int height, const uint8_t* rgb)
{
    if (!*texture) {
        gl->GenTextures(1, texture);
        gl->BindTexture(GL_TEXTURE_2D, *texture);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    gl->BindTexture(GL_TEXTURE_2D, *texture);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, width, height, 0, GL_RGB, GL_UNSIGNED_BYTE, rgb);
}
