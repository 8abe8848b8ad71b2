using System.Globalization;

namespace Raceway.Analysis.SharingStudy;

/// <summary>How a hand-written ring says what is published.</summary>
internal enum Availability
{
    /// <summary>By the producer's cursor alone.</summary>
    Cursor,

    /// <summary>A number a slot, side by side, sixteen a line.</summary>
    Int,

    /// <summary>A bit a slot, five hundred a line.</summary>
    Bit,

    /// <summary>A number behind the item, in its slot.</summary>
    InSlot,

    /// <summary>A number a slot, each in a line of its own.</summary>
    Padded,
}

/// <summary>Where the parts of a hand-written ring lie.</summary>
/// <param name="Availability">How it says what is published.</param>
/// <param name="CellStride">Bytes from the producer's cell to the consumer's.</param>
/// <param name="SlotStride">Bytes from slot to slot; a multiple of 8, of 16 or more with a number behind the item.</param>
internal sealed record BareLayout(Availability Availability, int CellStride, int SlotStride)
{
    /// <summary>The knob that says how far apart the two cells lie.</summary>
    public const string CellsKnob = "cells";

    /// <summary>The knob that says how far apart the slots lie.</summary>
    public const string SlotsKnob = "slots";

    private const int Line = 64;

    /// <summary>Bytes from stamp to stamp; 0 where there are none, or a bit each.</summary>
    public int StampStride => Availability switch
    {
        Availability.Int => sizeof(int),
        Availability.Padded => Line,
        Availability.InSlot => SlotStride,
        _ => 0,
    };

    /// <summary>The name of the availability in contestants and knobs.</summary>
    public string AvailabilityName =>
        Availability == Availability.InSlot ? "in-slot" : Availability.ToString().ToLowerInvariant();

    /// <summary>The settings, by knob.</summary>
    public IReadOnlyDictionary<string, string> Knobs(int threads) => new Dictionary<string, string>
    {
        ["availability"] = AvailabilityName,
        [CellsKnob] = CellStride.ToString(CultureInfo.InvariantCulture),
        [SlotsKnob] = SlotStride.ToString(CultureInfo.InvariantCulture),
        ["threads"] = threads.ToString(CultureInfo.InvariantCulture),
    };
}
