using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Proof.Tests.Stress;

/// <summary>What travels through a stress run: who published it, its number there, and what stages have done with it.</summary>
/// <remarks>64 bytes, so that strides and stamps in the slots are possible.</remarks>
[StructLayout(LayoutKind.Sequential)]
internal struct Item
{
    public const int MostStages = 4;
    private const int NumberBits = 48;

    /// <summary>Producer and number.</summary>
    public long Key;

    /// <summary>A hash of the key: a torn, stale or given-up item does not have it.</summary>
    public ulong Check;

    /// <summary>The sequence that the claim was told, or −1 where it was told none.</summary>
    public long Claimed;

    /// <summary>The sequence at which the first stage handled it.</summary>
    public long Handled;

    /// <summary>What each stage writes when it is done with the item; different for every item that uses the slot.</summary>
    public Marks Passed;

    public readonly int Producer => (int)(Key >> NumberBits);

    public readonly long Number => Key & ((1L << NumberBits) - 1);

    public static long KeyOf(int producer, long number) => ((long)producer << NumberBits) | number;

    public static ulong CheckOf(long key)
    {
        ulong hash = ((ulong)key + 0x9E37_79B9_7F4A_7C15) * 0xBF58_476D_1CE4_E5B9;
        return hash ^ (hash >> 29);
    }

    public static ulong MarkOf(ulong check, int stage) => check * (2 * (ulong)stage + 3);

    /// <summary>Becomes the item of <paramref name="key"/>. What stages wrote a lap ago stays, to be found stale.</summary>
    public void Fill(long key, long claimed)
    {
        Key = key;
        Check = CheckOf(key);
        Claimed = claimed;
        Handled = -1;
    }

    /// <summary>Becomes what no stage may ever see.</summary>
    public void Spoil()
    {
        Key = -1;
        Check = 0;
    }

    [InlineArray(MostStages)]
    internal struct Marks
    {
        private ulong _first;
    }
}

/// <summary>Where the <see cref="Item"/> lies in what a ring's slots hold.</summary>
internal interface ISlot<T>
{
    static abstract ref Item Of(ref T slot);

    /// <summary>Whether slots have a payload.</summary>
    static abstract bool HasBody { get; }

    static abstract ref Payload Body(ref T slot);

    /// <summary>A value to publish by copy.</summary>
    static abstract T New();
}

/// <summary>The item itself.</summary>
internal readonly struct Plain : ISlot<Item>
{
    public static bool HasBody => false;

    public static ref Item Of(ref Item slot) => ref slot;

    public static ref Payload Body(ref Item slot) => throw new NotSupportedException();

    public static Item New() => default;
}

/// <summary>An object in every slot, used again each lap.</summary>
internal sealed class Node
{
    private Item _item;

    public ref Item Item => ref _item;
}

internal readonly struct Boxed : ISlot<Node>
{
    public static bool HasBody => false;

    public static ref Item Of(ref Node slot) => ref slot.Item;

    public static ref Payload Body(ref Node slot) => throw new NotSupportedException();

    public static Node New() => new();
}

/// <summary>An item with bytes of its own.</summary>
internal struct Letter
{
    public Item Item;
    public Payload Body;
}

internal readonly struct Lettered : ISlot<Letter>
{
    public static bool HasBody => true;

    public static ref Item Of(ref Letter slot) => ref slot.Item;

    public static ref Payload Body(ref Letter slot) => ref slot.Body;

    public static Letter New() => default;
}
