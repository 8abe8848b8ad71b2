using Raceway.Lab.Watching;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Lab.Watching;

/// <summary>What is made of the looks at a pipeline, one after another.</summary>
public sealed class WatchedPipelineTests
{
    // A sync of 400 µs and a microsecond an item.
    private static readonly BatchCost s_sync = new(400e-6, 1e-6);
    private static readonly int[] s_sizes = [8, 16, 4, 12];

    private long _items, _batches;
    private double _seconds;

    [Fact]
    public void Findings_BatchesVaryFromLookToLook_SayWhatACallCosts()
    {
        WatchedPipeline watched = Watched(looks: 8);

        Assert.Contains("By what its calls took, a batch of ", watched.Findings.ToString(), StringComparison.Ordinal);
        Assert.Contains("By what its calls took, a batch of ", watched.AllFindings.ToString(), StringComparison.Ordinal);
    }

    // Looks for a day are not kept, and what is found is of the whole day.
    [Fact]
    public void AllFindings_ManyLooks_AreOfAllOfThem()
    {
        WatchedPipeline watched = Watched(looks: 1_000);

        Assert.Equal(_seconds, watched.AllFindings.Interval.TotalSeconds, 3);
        Assert.Contains("By what its calls took, a batch of ", watched.AllFindings.ToString(), StringComparison.Ordinal);
        Assert.True(watched.Findings.Interval < watched.AllFindings.Interval / 100);
    }

    [Fact]
    public void Findings_OneLook_AreNone()
    {
        WatchedPipeline watched = new("orders", Look());

        Assert.Empty(watched.Findings.Findings);
        Assert.Empty(watched.AllFindings.Findings);
    }

    // Another pipeline of that name counts from nothing.
    [Fact]
    public void Findings_FiguresGoBack_AreOfTheNewOne()
    {
        WatchedPipeline watched = Watched(looks: 8);
        double before = _seconds;
        (_items, _batches) = (0, 0);
        PipelineSnapshot anew = Look();

        watched.Add(anew);

        Assert.Empty(watched.AllFindings.Findings);
        Assert.Equal(before, anew.At.TotalSeconds, 6);
    }

    private WatchedPipeline Watched(int looks)
    {
        var watched = new WatchedPipeline("orders", Look());
        for (int n = 0; n < looks; n++)
        {
            int size = s_sizes[n % s_sizes.Length];
            _items += 100 * size;
            _batches += 100;
            _seconds += 100 * s_sync.SecondsOf(size);
            watched.Add(Look());
        }

        return watched;
    }

    private PipelineSnapshot Look() => new()
    {
        At = TimeSpan.FromSeconds(_seconds),
        Rings = [new RingStatistics { Capacity = 65_536, Blocked = TimeSpan.FromSeconds(_seconds / 2) }],
        Stages =
        [
            new StageSnapshot
            {
                Ring = 0,
                Dispatch = Dispatch.Batch(16),
                Done = new StageStatistics
                {
                    Name = "store", Items = _items, Batches = _batches, Working = TimeSpan.FromSeconds(_seconds), CloseReasons = [0, _batches, 0, 0, 0, 0],
                    BatchSizes = [],
                },
            },
        ],
    };
}
