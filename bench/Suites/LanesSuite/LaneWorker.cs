using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.LanesSuite;

/// <summary>The worker of one of our lanes, in each form that a lane's handler may have.</summary>
public sealed class LaneWorker(KeyTable table) : IEventHandler<KeyedItem>, IKeyHandler<KeyedItem, int>
{
    private KeyTally _tally = new(table);

    /// <summary>What it has taken in.</summary>
    public KeyTally Tally => _tally;

    /// <inheritdoc/>
    public void OnEvent(ref KeyedItem item, long sequence, bool endOfBatch) => _tally.Take(item);

    /// <inheritdoc/>
    public void OnKey(int key, KeyedItems<KeyedItem> items)
    {
        foreach (ref KeyedItem item in items) _tally.Take(item);
    }

    /// <summary>The struct form. It keeps its tally at hand for the batch and hands it in at the end.</summary>
    public LaneHandler AsStruct() => new(this, new KeyTally(table));

    /// <summary>The struct form of a lane's handler.</summary>
    public struct LaneHandler(LaneWorker worker, KeyTally tally) : IEventHandler<KeyedItem>
    {
        private KeyTally _tally = tally;

        /// <inheritdoc/>
        public void OnEvent(ref KeyedItem item, long sequence, bool endOfBatch)
        {
            _tally.Take(item);
            if (endOfBatch) worker._tally = _tally;
        }
    }
}
