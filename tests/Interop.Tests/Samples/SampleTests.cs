using System.Diagnostics;

namespace Raceway.Interop.Tests.Samples;

/// <summary>The samples print what their folder says they print, and stay short.</summary>
public sealed class SampleTests
{
    private const int MostLines = 120;

    /// <summary>Every folder with a text to compare with.</summary>
    public static TheoryData<string> Samples =>
    [
        .. Directory.GetFiles(SampleProgram.Folder, "expected.txt", SearchOption.AllDirectories)
            .Select(file => Path.GetFileName(Path.GetDirectoryName(file)!)).Order(),
    ];

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
    [MemberData(nameof(Samples))]
    public void Sample_Sources_StayShort(string sample) => Assert.All(
        Directory.GetFiles(Path.Combine(SampleProgram.Folder, sample), "*", SearchOption.AllDirectories)
            .Where(static file => Path.GetExtension(file) is ".cs" or ".fs"),
        static file => Assert.InRange(File.ReadAllLines(file).Length, 1, MostLines));
}
