using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Topology;

/// <summary>What a handler says of its width, through what a definition puts around it.</summary>
public sealed class HandlerWidthTests
{
    [Theory]
    [InlineData(Plan.Manual)]
    [InlineData(Plan.Fused)]
    [InlineData(Plan.RingPerStage)]
    [InlineData(Plan.Auto)]
    public async Task Width_UnderWhatIsAroundAHandler_IsTheHandlersOwn(Plan plan)
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(64)
            .Stage("plain", new Wide())
            .Workers("shared", 2, static _ => new Wide())
            .Filter("some", static (ref readonly long item) => item > 0)
            .Stage("selected", new Wide())
            .Stage("latest", Overflow.KeepLatest(4, new Wide()))
            .Stage("not", static (ref long item) => item++)
            .Build(plan);

        Dictionary<string, int> widths = pipeline.GetStatistics().ToDictionary(static one => one.Name, static one => one.Width);

        Assert.All(["plain", "shared/0", "shared/1", "selected", "latest"], name => Assert.Equal(8, widths[name]));
        Assert.Equal(1, widths["not"]);
        await pipeline.DisposeAsync();
    }

    [Fact]
    public void Width_BelowOne_IsAMistakeOfTheDefinition() => Assert.Contains(
        "width=0",
        Record.Exception(static () => Pipeline.Of<long>(64).Stage("plain", new Wide(0)).Build(Plan.Manual))!.Message, StringComparison.Ordinal);

    private sealed class Wide(int width = 8) : IBatchHandler<long>, IWideHandler
    {
        public int Width => width;

        public void OnBatch(Batch<long> batch)
        {
        }
    }
}
