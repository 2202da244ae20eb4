// Samples to pixels, in linear light.
layout(location = 0) out vec4 oColour;
uniform sampler2D uFrom;
uniform int uFactor;

void main()
{
    vec3 sum = vec3(0);
    for (int y = 0; y < uFactor; y++)
        for (int x = 0; x < uFactor; x++)
            sum += min(texelFetch(uFrom, ivec2(gl_FragCoord.xy) * uFactor + ivec2(x, y), 0).rgb, vec3(1));
    oColour = vec4(sum / float(uFactor * uFactor), 1);
}
