namespace Raceway.Rings.Tests;

/// <summary>What a <see cref="PoolSpread"/> sees in tests: threads and processors are numbers, and a move goes to processor 1.</summary>
public abstract class PoolSpreadThreads
{
    private protected static readonly long s_step = PoolSpread.Place.Remembered / 4;

    private protected readonly PoolSpread _spread;
    private protected readonly PoolSpread.Place[] _places = [new(), new(), new()];
    private protected readonly List<int[]> _moves = [];
    private int _here;
    private protected long _now = s_step * 1000;

    private protected PoolSpreadThreads() => _spread = new PoolSpread(() => _here, taken =>
    {
        _moves.Add([.. taken]);
        _here = 1;
    });

    private protected void Look(int thread, int processor, long later = 0, int work = Lingering.All)
    {
        _now += later == 0 ? s_step : later;
        _here = processor;
        _spread.Look(_places[thread], _now, work);
    }

    private protected bool Begin(int thread, int processor, long later = 0)
    {
        _now += later == 0 ? s_step : later;
        _here = processor;
        return _spread.Begin(_places[thread], _now, Lingering.All);
    }

    private protected void Blocks(int processor)
    {
        _here = processor;
        _spread.ProducerBlocks(_now);
    }
}
