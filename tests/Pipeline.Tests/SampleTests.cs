using System.Reflection;

namespace Raceway.Pipelines.Tests;

/// <summary>The samples print what their folder says they print.</summary>
[Collection(AloneCollection.Name)]
public sealed class SampleTests
{
    private const int MostLines = 60;

    [Fact]
    public async Task GettingStarted_Run_PrintsWhatIsExpected()
    {
        MethodInfo main = Assembly.Load("GettingStarted").EntryPoint!;
        TextWriter console = Console.Out;
        using var output = new StringWriter { NewLine = "\n" };
        Console.SetOut(output);
        try
        {
            // Off this thread, so that a sample that hangs ends the test and not the run.
            await Task.Run(() => main.Invoke(null, [Array.Empty<string>()])).OrHang();
        }
        finally
        {
            Console.SetOut(console);
        }

        Assert.Equal(await File.ReadAllTextAsync(Sample("expected.txt")), output.ToString());
    }

    [Fact]
    public void GettingStarted_StaysShort() =>
        Assert.InRange(File.ReadAllLines(Sample("Program.cs")).Length, 1, MostLines);

    private static string Sample(string file) =>
        Path.Combine(AppContext.BaseDirectory, "Samples", "GettingStarted", file);
}
