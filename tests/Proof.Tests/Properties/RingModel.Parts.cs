namespace Raceway.Proof.Tests.Properties;

/// <summary>One place of the order.</summary>
internal enum Place
{
    /// <summary>Claimed, and neither published nor given up.</summary>
    Open,
    Published,
    Tombstone,
}

/// <summary>What a stage is: where it stands, what it has seen, and how it is called.</summary>
internal sealed class StageModel(int max, long position, IReadOnlyList<StageModel> after)
{
    public int Max { get; } = max;

    public IReadOnlyList<StageModel> After { get; } = after;

    /// <summary>The last sequence passed.</summary>
    public long Position { get; set; } = position;

    /// <summary>The last sequence known to be readable.</summary>
    public long Seen { get; set; } = position;

    public bool Left { get; set; }

    public bool Throws { get; set; }

    public long Items { get; set; }

    public long Tombstones { get; set; }

    public long Batches { get; set; }

    public long Faults { get; set; }

    public void Handled(long count)
    {
        Position += count;
        Items += count;
        Batches++;
    }
}

/// <summary>What a producer is. Of a single one the sequences are those of its lane.</summary>
internal sealed class ProducerModel(LaneModel? lane)
{
    public LaneModel? Lane { get; } = lane;

    public long Credits { get; set; }

    public bool Disposed { get; set; }

    /// <summary>The next call takes the fast way: not after a wait, until a call has gone the long way again.</summary>
    public bool IsFast { get; set; } = true;

    /// <summary>The call under way took it.</summary>
    public bool TookFastWay { get; set; }

    /// <summary>A claim is open, or the handle is.</summary>
    public bool IsOpen { get; set; }
}

/// <summary>Where a single producer publishes.</summary>
internal sealed class LaneModel(int index, int capacity, long start)
{
    public int Index { get; } = index;

    public int Capacity { get; } = capacity;

    public long First { get; } = start;

    public List<long> Items { get; } = [];

    public long Published => First + Items.Count - 1;

    /// <summary>The last sequence announced.</summary>
    public long Announced { get; set; } = start - 1;

    public long Claimed => Math.Max(Announced, Published);

    /// <summary>How many have a place in the ring's order.</summary>
    public int Merged { get; set; }

    public ProducerModel? Owner { get; set; }
}
