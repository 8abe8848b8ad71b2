using System.Runtime.Intrinsics;

namespace Raceway.Gates.Tests.Code;

/// <summary>A ring does the same whatever vectors its processor has.</summary>
public sealed class VectorWidthTests
{
    [Theory]
    [InlineData("DOTNET_EnableAVX512", "512: False")]
    [InlineData("DOTNET_EnableAVX2", "256: False")]
    [InlineData("DOTNET_EnableHWIntrinsic", "128: False")]
    public async Task Digest_NarrowerVectors_IsTheSame(string switchedOff, string widths)
    {
        string[] here = await LinesAsync([]);
        string[] narrower = await LinesAsync(new() { [switchedOff] = "0" });
        // Where the processor has them, it is seen that they have been switched off; elsewhere there is nothing to show.
        if (Vector128.IsHardwareAccelerated) Assert.Contains(widths, narrower[0], StringComparison.Ordinal);
        Assert.Equal(here[1..], narrower[1..]);
        // The same items in the same batches wherever the stamps lie: from one layout to the next, too.
        string[] multi = [.. here[1..4].Select(line => line[line.IndexOf(' ', StringComparison.Ordinal)..])];
        Assert.Single(multi.Distinct());
        Assert.DoesNotContain(" 0 given up", multi[0], StringComparison.Ordinal);
    }

    private static async Task<string[]> LinesAsync(Dictionary<string, string> environment)
    {
        string[] lines = (await CodegenProgram.RunAsync(["digest"], environment))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        Assert.Equal(5, lines.Length);
        return lines;
    }
}
