namespace Raceway.Rings;

/// <summary>To whom something that is stepped belongs: a ring, or whoever else has units driven.</summary>
internal interface IUnitOwner
{
    /// <summary>What its handlers are known by while they run (<see cref="Reentrancy"/>).</summary>
    object Family { get; }

    /// <summary>The unit, or its driver, failed in a way that no policy covers.</summary>
    void Fail(Exception fault);

    /// <summary>For whom the driver waits.</summary>
    WaitContext WaitContext(bool leadsChain);
}
