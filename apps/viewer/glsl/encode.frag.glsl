layout(location = 0) out vec4 oColour;
uniform sampler2D uFrom;

void main()
{
    oColour = vec4(encoded(texelFetch(uFrom, ivec2(gl_FragCoord.xy), 0).rgb), 1);
}
