using System.Numerics;

namespace Raceway.Pipelines;

/// <summary>Walks the selected items of a batch in maximal runs of neighbours, by bit scan.</summary>
internal ref struct SelectedRuns(SelectionSet selection, long first, int count)
{
    private readonly bool _all = selection.IsAll;
    private SelectedWords _words = new(selection, first, count);
    private ulong _left;

    /// <summary>The index in the batch of the run's first item.</summary>
    public int Start { get; private set; }

    /// <summary>Items of the run.</summary>
    public int Length { get; private set; }

    /// <summary>Moves on; false behind the last run.</summary>
    public bool MoveNext()
    {
        if (_all) return MoveOverAll();
        while (_left == 0)
        {
            if (!_words.MoveNext()) return false;
            _left = _words.Bits;
        }

        int at = BitOperations.TrailingZeroCount(_left);
        Start = _words.Base + at;
        Length = 0;
        while (true)
        {
            int length = BitOperations.TrailingZeroCount(~(_left >> at));
            Length += length;
            ulong run = length == 64 ? ulong.MaxValue : ((1UL << length) - 1) << at;
            _left &= ~run;
            // Not at the end of its word, or not the word's last: the run ends here.
            if (_left != 0 || (run | (run - 1)) < _words.Range || !_words.MoveNext()) return true;
            _left = _words.Bits;
            at = 0;
            if ((_left & 1) == 0) return true;
        }
    }

    private bool MoveOverAll()
    {
        if (Length != 0) return false;
        Length = count;
        return true;
    }
}
