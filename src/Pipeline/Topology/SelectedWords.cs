using System.Numerics;
using System.Runtime.CompilerServices;

namespace Raceway.Pipelines;

/// <summary>Walks the selection bits of a batch, word by word.</summary>
internal ref struct SelectedWords
{
    private readonly SelectionSet _selection;
    private readonly int _count;
    private readonly int _wordBits;
    private readonly int _wordMask;
    private int _skip;

    /// <param name="selection">The selection with the bits.</param>
    /// <param name="first">The sequence of the batch's first item.</param>
    /// <param name="count">Items of the batch.</param>
    public SelectedWords(SelectionSet selection, long first, int count)
        : this(selection, selection.Capacity, first, count)
    {
    }

    /// <param name="selection">The selection with the bits.</param>
    /// <param name="capacity">Slots of the ring, where words are to have their number also if every item is selected.</param>
    /// <param name="first">The sequence of the batch's first item.</param>
    /// <param name="count">Items of the batch.</param>
    public SelectedWords(SelectionSet selection, int capacity, long first, int count)
    {
        _selection = selection;
        _count = count;
        _wordBits = Math.Min(64, capacity);
        _wordMask = Math.Max(1, capacity / 64) - 1;
        _skip = (int)first & (_wordBits - 1);
        Word = ((int)(first & (capacity - 1)) >> 6) - 1;
        Base = -_skip - _wordBits;
    }

    /// <summary>The word's number.</summary>
    public int Word { get; private set; }

    /// <summary>The index in the batch of the word's first bit; below 0 where the batch begins inside the word.</summary>
    public int Base { get; private set; }

    /// <summary>Those bits of the word that belong to the batch.</summary>
    public ulong Range { get; private set; }

    /// <summary>The selected ones of them.</summary>
    public ulong Bits { get; private set; }

    /// <summary>Items selected of a batch.</summary>
    public static int CountOf(SelectionSet selection, long first, int count)
    {
        if (selection.IsAll) return count;
        int selected = 0;
        var words = new SelectedWords(selection, first, count);
        while (words.MoveNext()) selected += BitOperations.PopCount(words.Bits);
        return selected;
    }

    /// <summary>The index of the last one selected; -1 where none is.</summary>
    public static int LastOf(SelectionSet selection, long first, int count)
    {
        if (selection.IsAll) return count - 1;
        // Nearly always in the last word: looked at from behind, a word at a time.
        for (int end = count; end > 0;)
        {
            int length = Math.Min(end, (int)((first + end - 1) & (Math.Min(64, selection.Capacity) - 1)) + 1);
            var words = new SelectedWords(selection, first + end - length, length);
            words.MoveNext();
            if (words.Bits != 0) return end - length + words.Base + BitOperations.Log2(words.Bits);
            end -= length;
        }

        return -1;
    }

    /// <summary>Moves on; false behind the last word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        Base += _wordBits;
        if (Base >= _count) return false;
        Word = (Word + 1) & _wordMask;
        ulong range = ulong.MaxValue << _skip;
        _skip = 0;
        int left = _count - Base;
        if (left < 64) range &= (1UL << left) - 1;
        if (_wordBits < 64) range &= (1UL << _wordBits) - 1;
        Range = range;
        Bits = _selection.Read(Word) & range;
        return true;
    }
}
