using System.Buffers;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Bodies;

/// <summary>Knows which arrays are out; what comes back is poisoned, so that whoever still uses it sees it.</summary>
internal sealed class CheckingPool : ArrayPool<byte>
{
    private readonly HashSet<byte[]> _out = [];

    public override byte[] Rent(int minimumLength)
    {
        var array = new byte[minimumLength];
        _out.Add(array);
        return array;
    }

    public override void Return(byte[] array, bool clearArray = false)
    {
        World.Check(_out.Remove(array), "a buffer came back twice");
        array.AsSpan().Fill(0xDB);
    }

    public void IsEmpty() => World.Check(_out.Count == 0, $"{_out.Count} buffers never came back");
}
