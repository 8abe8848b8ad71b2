using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Suites.RingSuite;

public sealed class SlotTests
{
    private const long Item = 0x0123_4567_89AB_CDE3;

    [Fact]
    public void Size_OfTheSlots_IsWhatTheCasesSay()
    {
        Assert.Equal(8, Unsafe.SizeOf<Number>());
        Assert.Equal(64, Unsafe.SizeOf<Numbers64>());
        Assert.Equal(256, Unsafe.SizeOf<Numbers256>());
        Assert.Equal(128, Unsafe.SizeOf<InlineBytes>());
    }

    [Fact]
    public void Read_AnyByteChanged_IsNotTheItem()
    {
        AnyByteCounts<Number>(8);
        AnyByteCounts<Numbers64>(64);
        AnyByteCounts<Numbers256>(256);
        AnyByteCounts<InlineBytes>(Message.Length);
    }

    // A slot that kept its text from lap to lap would hide that it was not copied.
    [Fact]
    public void Message_OfTheSameSlotInTheNextLap_HasAnotherText()
    {
        List<long> items = [];
        var feed = new Feed(0, 2 * RingShape.DefaultCapacity);
        while (feed.MoveNext()) items.Add(feed.Current);
        HashSet<string> texts = [];
        for (int i = 0; i < RingShape.DefaultCapacity; i++)
        {
            string text = TextOf(items[i]);
            texts.Add(text);
            Assert.NotEqual(text, TextOf(items[i + RingShape.DefaultCapacity]));
        }

        Assert.Equal(16, texts.Count);

        static string TextOf(long item)
        {
            byte[] bytes = new byte[Message.Length];
            Message.Write(bytes, item);
            return Convert.ToHexString(bytes.AsSpan(sizeof(long)));
        }
    }

    [Fact]
    public void Work_WideSlot_IsReadAsAdded()
    {
        Numbers64 slot = Slot.Of<Numbers64>(Item);

        Numbers64.Work(ref slot, 5);

        Assert.Equal(Item + 5, Numbers64.Read(ref slot));
    }

    private static void AnyByteCounts<TSlot>(int bytes)
        where TSlot : unmanaged, ISlot<TSlot>
    {
        for (int i = 0; i < bytes; i++)
        {
            TSlot slot = Slot.Of<TSlot>(Item);
            Assert.Equal(Item, TSlot.Read(ref slot));

            MemoryMarshal.AsBytes(new Span<TSlot>(ref slot))[i] ^= 1;

            Assert.NotEqual(Item, TSlot.Read(ref slot));
        }
    }
}
