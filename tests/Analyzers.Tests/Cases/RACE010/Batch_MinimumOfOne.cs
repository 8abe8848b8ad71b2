// wrong
Dispatch dispatch = Dispatch.Batch(max: 64, min: 1, maxAge: new TimeSpan(0, 0, 1)); // RACE010

// fixed
Dispatch dispatch = Dispatch.Batch(max: 64, min: 2, maxAge: new TimeSpan(0, 0, 1));
