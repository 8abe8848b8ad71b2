using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>How a <see cref="PipelineHarness{T}"/> steps a pipeline. Everything has a default.</summary>
/// <typeparam name="T">What producers publish.</typeparam>
public sealed record HarnessOptions<T>
{
    /// <summary>Decides the order of the stages, the size of their steps, and the stalls. Default: 0.</summary>
    public int Seed { get; init; }

    /// <summary>The time of the pipeline, for fakes that are made before it. Default: a new one.</summary>
    public VirtualTime? Time { get; init; }

    /// <summary>The most items of a step; the seed draws how many. Default: 8. <see cref="int.MaxValue"/>: all that is there.</summary>
    /// <remarks>A stage with a larger <see cref="Dispatch.Min"/> has as many in a step: fewer would cut its batch below the minimum.</remarks>
    public int MostPerStep { get; init; } = 8;

    /// <summary>The chance of a stage to be left out of a round, as if its thread had been held up. Default: 0.</summary>
    public double StallChance { get; init; }

    /// <summary>Spoils a slot that every stage has passed, so that a handler that has kept something of it reads nonsense.</summary>
    /// <remarks>
    /// Without it a slot of a type without references is filled with the byte 0xDB. An object of a slot
    /// (<see cref="RingOptions{T}.CreateSlot"/>) is replaced by a new one, and <see cref="PipelineHarness{T}.CheckSlots"/> says
    /// whether anything holds the old one.
    /// </remarks>
    public SlotAction<T>? Poison { get; init; }

    internal void Check()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MostPerStep, 1);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Limit, TimeSpan.Zero);
        if (!(StallChance is >= 0 and < 1))
            throw new ArgumentOutOfRangeException(nameof(StallChance), StallChance, "A chance of 1 would leave every stage out: from 0 to below 1. Give one of these.");
    }

    /// <summary>Steps the stages in the order of the definition, and not in one that the seed draws.</summary>
    internal bool InOrder { get; init; }

    /// <summary>Whether time moves on where a producer finds no room and no stage goes on.</summary>
    internal bool MovesTimeForRoom { get; init; }

    /// <summary>How long the machine's time may take for what virtual time cannot move: a handler's task that ends elsewhere, a hook. Default: 10 s.</summary>
    public TimeSpan Limit { get; init; } = TimeSpan.FromSeconds(10);
}
