// wrong
Dispatch dispatch = Dispatch.Each(maxAge: TimeSpan.FromSeconds(1)); // RACE010

// fixed
Dispatch dispatch = Dispatch.Each(min: 2, maxAge: TimeSpan.FromSeconds(1));
