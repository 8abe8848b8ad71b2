namespace Raceway.Rings;

/// <summary>To whom something that is stepped belongs: a ring, or whoever else has units driven.</summary>
internal interface IUnitOwner
{
    /// <summary>The unit, or its driver, failed in a way that no policy covers.</summary>
    void Fail(Exception fault);

    /// <summary>For whom the driver waits.</summary>
    WaitContext WaitContext(bool leadsChain);
}
