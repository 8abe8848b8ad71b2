using System.Buffers;

namespace Raceway.Rings.Tests;

/// <summary>A pool that finds misuse: returned arrays are poisoned, and returning twice or a foreign array throws.</summary>
internal sealed class PoisonPool : ArrayPool<byte>
{
    public const byte Poison = 0xDB;

    private readonly object _gate = new();
    private readonly HashSet<byte[]> _rented = new(ReferenceEqualityComparer.Instance);
    private readonly List<byte[]> _quarantine = [];

    public int Rented { get; private set; }

    public int Returned { get; private set; }

    public int Misuses { get; private set; }

    /// <summary>Arrays not returned.</summary>
    public int Outstanding => Rented - Returned;

    public override byte[] Rent(int minimumLength)
    {
        byte[] array = GC.AllocateUninitializedArray<byte>(Math.Max(16, minimumLength));
        Monitor.Enter(_gate);
        _rented.Add(array);
        Rented++;
        Monitor.Exit(_gate);
        return array;
    }

    public override void Return(byte[] array, bool clearArray = false)
    {
        Monitor.Enter(_gate);
        try
        {
            if (!_rented.Remove(array))
            {
                Misuses++;
                throw new InvalidOperationException("Returned twice, or never rented.");
            }

            Array.Fill(array, Poison);
            Returned++;
            // Kept for ever: an array that is used after its return keeps its poison, and is never another one's.
            _quarantine.Add(array);
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }

    /// <summary>True where nobody has written into an array after returning it.</summary>
    public bool QuarantineIsIntact()
    {
        Monitor.Enter(_gate);
        try
        {
            return _quarantine.TrueForAll(array => array.AsSpan().IndexOfAnyExcept(Poison) < 0);
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }
}
