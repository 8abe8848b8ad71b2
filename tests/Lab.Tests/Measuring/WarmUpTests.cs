using System.Text.Json;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>What is measured is compiled as it stays, on one processor too.</summary>
public sealed class WarmUpTests
{
    // The runtime waits ten times as long on one processor.
    private const int OneProcessor = 10;

    [Fact]
    public void TieringPause_IsLongerThanTheToolsRuntimeWaits_OnOneProcessorToo()
    {
        string path = Path.Combine(AppContext.BaseDirectory, "raceway.runtimeconfig.json");
        using JsonDocument settings = JsonDocument.Parse(File.ReadAllText(path));
        int waits = settings.RootElement.GetProperty("runtimeOptions").GetProperty("configProperties")
            .GetProperty("System.Runtime.TieredCompilation.CallCountingDelayMs").GetInt32();

        Assert.InRange(OneProcessor * waits, 1, new InterleaverOptions().TieringPause.TotalMilliseconds - 1);
    }

    [Fact]
    public void Run_WhileSomethingIsCompiled_GoesOn()
    {
        int[] compiled = [10, 11, 12, 13, 14, 14];
        int begun = 0;

        bool settled = WarmUp.Run(
            _ => begun++, () => compiled[begun], TimeSpan.Zero, TimeBudget.Endless, static () => false, CancellationToken.None);

        Assert.True(settled);
        Assert.Equal(5, begun);
    }
}
