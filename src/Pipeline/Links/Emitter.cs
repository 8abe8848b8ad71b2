using System.Numerics;
using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Takes what an expansion makes of one item: any number of outputs, none included.</summary>
/// <remarks>
/// <para>Outputs are published when the call has returned, all together or, where it throws, none: a retry begins the item
/// anew, and an item passed over has no outputs.</para>
/// <para><b>Threads</b>: the caller's, within the call.</para>
/// <para><b>Blocking</b>: never. What the next ring has no room for is kept aside, and published as room comes, before the
/// next item is looked at.</para>
/// <para><b>Cost</b>: slots of the next ring are written in place. The room aside grows to the largest number of outputs that
/// found no room, and is reused.</para>
/// </remarks>
/// <typeparam name="T">The output.</typeparam>
public readonly ref struct Emitter<T>
{
    private readonly Outputs<T> _outputs;

    internal Emitter(Outputs<T> outputs) => _outputs = outputs;

    /// <summary>The slot of the next output, to be written: it has been used before. It stays that output's until the call
    /// returns.</summary>
    public ref T Next() => ref _outputs.Next();

    /// <summary>One more output.</summary>
    public void Emit(in T output) => _outputs.Next() = output;

    /// <summary>Outputs of this item so far.</summary>
    public int Count => _outputs.OfItem;
}

/// <summary>The outputs of an expansion: some in slots that are claimed, the rest aside.</summary>
internal sealed class Outputs<T>(Slots<T> slots, Func<T>? create)
{
    private const int FirstBlock = 16;

    // Each twice as large as the one before. None moves: the caller may still write an output through the reference it was given.
    private readonly List<T[]> _blocks = [];
    private long _first;
    private int _claimed;
    private int _count;
    private int _before;
    private int _taken;

    /// <summary>Outputs of the item at hand.</summary>
    public int OfItem => _count - _before;

    /// <summary>Whether every slot claimed is written.</summary>
    public bool IsFull => _count >= _claimed;

    /// <summary>How many of the claimed slots hold outputs of items that are done.</summary>
    public int InSlots => Math.Min(_before, _claimed);

    /// <summary>Outputs aside that are not published yet.</summary>
    public int Aside => Math.Max(0, _before - _claimed) - _taken;

    /// <summary>Begins with <paramref name="claimed"/> slots from <paramref name="first"/> on. Nothing is aside.</summary>
    public void Begin(long first, int claimed)
    {
        _first = first;
        _claimed = claimed;
        _count = _before = _taken = 0;
    }

    /// <summary>Outputs so far are an item's that is done.</summary>
    public void EndItem() => _before = _count;

    /// <summary>The outputs of an item that failed are forgotten.</summary>
    public void Undo() => _count = _before;

    public ref T Next()
    {
        int at = _count++;
        if (at < _claimed) return ref slots.Own(_first + at);
        return ref AsideAt(at - _claimed);
    }

    /// <summary>Moves outputs from aside into claimed slots; each gets what the slot held, so that reused objects stay unique.</summary>
    public void Move(in Claim<T> claim)
    {
        foreach (ref T slot in claim)
        {
            ref T output = ref AsideAt(_taken++);
            if (RuntimeHelpers.IsReferenceOrContainsReferences<T>()) (slot, output) = (output, slot);
            else slot = output;
        }
    }

    private ref T AsideAt(int index)
    {
        int block = BitOperations.Log2((uint)index / FirstBlock + 1);
        if (block == _blocks.Count) Grow();
        return ref _blocks[block][index - ((FirstBlock << block) - FirstBlock)];
    }

    private void Grow()
    {
        var block = new T[FirstBlock << _blocks.Count];
        if (create is not null)
            for (int i = 0; i < block.Length; i++) block[i] = create();
        _blocks.Add(block);
    }
}
