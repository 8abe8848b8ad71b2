using System.Diagnostics;
using Raceway.Interop.Tests.RabbitMq;

namespace Raceway.Interop.Tests.Samples;

/// <summary>The samples print what their folder says they print, and stay short.</summary>
/// <remarks>Some of them use the broker: not beside tests that close all its connections.</remarks>
[Collection(Broker.Collection)]
public sealed class SampleTests
{
    private const int MostLines = 120;

    // It has a file for each library, to be read beside each other, and one more column where Disruptor-net is built in.
    private const string SideBySide = "SideBySide";

#if PEER_DISRUPTOR
    private static readonly string[] s_others = [SideBySide];
#else
    private static readonly string[] s_others = [];
#endif

    /// <summary>Every folder with a text to compare with.</summary>
    public static TheoryData<string> Samples => [.. All.Except(s_others)];

    /// <summary>The same, but for that which compares libraries.</summary>
    public static TheoryData<string> Pages => [.. All.Where(static sample => sample != SideBySide)];

    private static IEnumerable<string> All =>
        Directory.GetFiles(SampleProgram.Folder, "expected.txt", SearchOption.AllDirectories)
            .Select(static file => Path.GetFileName(Path.GetDirectoryName(file)!)).Order();

    [Fact]
    public void Sample_EachFolder_SaysWhatItPrints() => Assert.All(
        Directory.GetDirectories(SampleProgram.Folder),
        static folder => Assert.True(File.Exists(Path.Combine(folder, "expected.txt")), folder));

    [Theory]
    [MemberData(nameof(Samples))]
    public async Task Sample_Run_PrintsWhatIsExpected(string sample)
    {
        using Process process = SampleProgram.Start(sample);
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> errors = process.StandardError.ReadToEndAsync();
        try
        {
            await process.WaitForExitAsync().OrHang();
        }
        finally
        {
            if (!process.HasExited) process.Kill();
        }

        string expected = await File.ReadAllTextAsync(Path.Combine(SampleProgram.Folder, sample, "expected.txt"));
        Assert.True(process.ExitCode == 0, await errors.OrHang());
        Assert.Equal(expected, (await output).ReplaceLineEndings("\n"));
    }

    // A page each: a sample that shows several things has a file for each.
    [Theory]
    [MemberData(nameof(Pages))]
    public void Sample_Sources_StayShort(string sample) => Assert.All(
        Directory.GetFiles(Path.Combine(SampleProgram.Folder, sample), "*", SearchOption.AllDirectories)
            .Where(static file => Path.GetExtension(file) is ".cs" or ".fs"),
        static file => Assert.InRange(File.ReadAllLines(file).Length, 1, MostLines));
}
