using System.Globalization;

namespace Raceway.Proof.Tests.Stress;

/// <summary>What a stage saw was wrong. Stops the ring, so that the first finding is the one told.</summary>
internal sealed class WrongException(string message) : Exception(message);

/// <summary>The item is passed over on purpose.</summary>
internal sealed class SkippedException : Exception;

/// <summary>Checks all that a stage is given: exactly once, in order, whole, and after its upstream alone.</summary>
/// <param name="stage">Which stage of the run.</param>
/// <param name="upstream">Those that must have finished an item before.</param>
/// <param name="run">The configuration.</param>
internal sealed class Checker(int stage, int[] upstream, StressCase run)
{
    private const int SkipEvery = 1_009;
    private const long Untold = long.MinValue;

    private readonly long[] _next = new long[run.Producers];
    private long _last = run.Start - 1;
    private long _count;
    private long _skipped;
    private long _gaps;
    private ulong _order;
    private bool _toldAll = true;

    public int Stage => stage;

    /// <summary>Items taken, skipped ones included.</summary>
    public long Count => Volatile.Read(ref _count);

    public long Skipped => _skipped;

    /// <summary>Faults of items that came again.</summary>
    public long Refused { get; private set; }

    /// <summary>Sequences between those told; −1 where the stage was not told any.</summary>
    public long Gaps => _toldAll ? _gaps : -1;

    /// <summary>The same in two stages only where both saw the same items in the same order.</summary>
    public ulong Order => _order;

    /// <summary>The last sequence told.</summary>
    public long Last => _last;

    /// <summary>The number expected next of each producer.</summary>
    public long[] Next => _next;

    /// <summary>Takes an item that the stage was told no sequence of.</summary>
    public void Take(ref Item item) => Take(ref item, Untold, comesAgain: false);

    /// <summary>Takes an item. Throws where something is wrong, or the item is one to be skipped.</summary>
    /// <param name="item">The item.</param>
    /// <param name="sequence">Its sequence.</param>
    /// <param name="comesAgain">Where it fails, it is handed over once more, alone: it was not the last of its batch.</param>
    public void Take(ref Item item, long sequence, bool comesAgain)
    {
        long key = item.Key;
        ulong check = Item.CheckOf(key);
        int producer = item.Producer;
        if (item.Check != check || (uint)producer >= (uint)run.Producers) throw Wrong("is torn, stale or was given up", item, sequence);
        if (item.Number != _next[producer]) throw Wrong($"came where {_next[producer]} was due", item, sequence);
        foreach (int before in upstream)
            if (item.Passed[before] != Item.MarkOf(check, before)) throw Wrong($"came before stage {before} had finished it", item, sequence);
        foreach (int after in Followers(run.Topology, stage))
            if (item.Passed[after] == Item.MarkOf(check, after)) throw Wrong($"came after stage {after} had it", item, sequence);
        ulong mark = Item.MarkOf(check, stage);
        if (item.Passed[stage] == mark) throw Wrong("came twice", item, sequence);

        // Each stage passes over others, so that the later ones see what was passed over.
        bool skips = run.Extra == Extra.Skips && (check + (ulong)stage) % SkipEvery == 0;
        if (skips && comesAgain)
        {
            Refused++;
            throw new SkippedException();
        }

        if (sequence == Untold) _toldAll = false;
        else FollowSequence(ref item, sequence);
        item.Passed[stage] = mark;
        _next[producer]++;
        _order = (_order ^ check) * 0x9E37_79B9_7F4A_7C15;
        Volatile.Write(ref _count, _count + 1);
        if (!skips) return;
        _skipped++;
        throw new SkippedException();
    }

    /// <summary>Takes an item that the ring ended before.</summary>
    public void TakeLeft(in Item item)
    {
        int producer = item.Producer;
        if (item.Check != Item.CheckOf(item.Key) || (uint)producer >= (uint)run.Producers || item.Number != _next[producer]++)
            throw Wrong("was not the next one left over", item, Untold);
    }

    public static Exception Wrong(string what, in Item item, long sequence, int stage, StressCase run) =>
        new WrongException(string.Create(
            CultureInfo.InvariantCulture,
            $"{item.Number} of producer {item.Producer} {what}: stage {stage}, sequence {sequence}, claimed {item.Claimed}, "
            + $"first handled {item.Handled}; seed {Seed.Value}, {run.Name}"));

    private Exception Wrong(string what, in Item item, long sequence) => Wrong(what, item, sequence, stage, run);

    private void FollowSequence(ref Item item, long sequence)
    {
        if (sequence <= _last) throw Wrong($"came after sequence {_last}", item, sequence);
        _gaps += sequence - _last - 1;
        _last = sequence;
        if (item.Claimed >= 0 && item.Claimed != sequence) throw Wrong("is from another lap", item, sequence);
        // One order for all stages. Those beside the first may not look while it writes.
        if (upstream.Length == 0)
        {
            if (stage == 0) item.Handled = sequence;
        }
        else if (item.Handled >= 0 && item.Handled != sequence)
        {
            throw Wrong("has another sequence here", item, sequence);
        }
    }

    // A slot is given back when all that none follows have passed it, so what comes behind this stage must not have begun.
    private static ReadOnlySpan<int> Followers(Topology topology, int stage) => (topology, stage) switch
    {
        (Topology.Chain, 0) => [1, 2],
        (Topology.Chain, 1) => [2],
        (Topology.Diamond, 0) => [1, 2, 3],
        (Topology.Diamond, 1 or 2) => [3],
        _ => [],
    };
}
